import type { ReportContext } from '../../src/compare/input/comparison-context.js'
import type { About } from '../../src/compare/report/report-notes.js'
import { cleanText } from '../../src/core/text/clean-text.js'
import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { rowPieces } from './text-fit.js'

const TEXT_UNITS = 125
/** Terms and their texts, below a title. */
type Section = readonly [title: string, terms: readonly Term[]]
export type Term = readonly [term: string, text: string]

/** `About`: terms with their texts in full, in sections; those without terms are left out, and `more` is not printed. */
export const aboutSheet =
  (
    { subject }: { subject: string },
    note: string,
    sections: readonly Section[],
    more: readonly Section[],
  ): WriteSheet =>
  (add) => {
    const sheet = add({ widths: [28, TEXT_UNITS], frozen: { rows: 2 } }).addHeading(
      'About this workbook',
      subject,
      note,
    )
    addSections(sheet, sections)
    const lastPrinted = sheet.next - 1
    addSections(sheet, more)
    sheet.printLegible(lastPrinted)
  }

function addSections(sheet: Sheet, sections: readonly Section[]): void {
  for (const [title, terms] of sections.filter(([, terms]) => terms.length > 0)) {
    sheet.addSection(title)
    for (const [term, full] of terms)
      for (const [at, piece] of rowPieces(cleanText(full), TEXT_UNITS).entries())
        sheet.add([text(at === 0 ? term : '', style.wrapped), text(piece, style.wrapped)])
  }
}

/** What made a report, for whom, and as of when. */
export function contextTerms({ programVersion, madeBy, asOf, asOfDate, timeZone, ...read }: ReportContext): Term[] {
  const { pricesRead, termsRead } = read
  return [
    [
      'As of',
      `${asOf}: everything observed up to then. Days are counted from ${asOfDate}, in the time zone ${timeZone}.`,
    ],
    ...(pricesRead === null ? [] : [['RFQ last read', pricesRead.newest] as const]),
    ...(termsRead === null ? [] : [['Offers last read', `${termsRead.oldest} to ${termsRead.newest}`] as const]),
    [
      'Made by',
      `Quotekeeper ${programVersion}${madeBy === null ? '' : `, for ${madeBy}`}. The same data give the same file.`,
    ],
  ]
}

export const limitSection = ({ limits }: Pick<About, 'limits'>): Section => [
  'Limits of the data',
  limits.map((message, index) => [`${index + 1}`, message]),
]

export const definitionSection = ({ definitions }: Pick<About, 'definitions'>): Section => [
  'Definitions',
  definitions.map(({ term, message }) => [term, message]),
]
