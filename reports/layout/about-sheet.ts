import { PRICED_BY } from '../../src/compare/decision/setting-text.js'
import type { ReportContext } from '../../src/compare/input/comparison-context.js'
import type { Settings } from '../../src/core/decision/settings.js'
import { cleanText } from '../../src/core/text/clean-text.js'
import { formatPercent } from '../../src/core/text/number-format.js'
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
      `${asOf}: everything observed up to then, compared with the settings below. Days are counted from ${asOfDate}, in the time zone ${timeZone}.`,
    ],
    ...(pricesRead === null ? [] : [['RFQ last read', pricesRead.newest] as const]),
    ...(termsRead === null ? [] : [['Offers last read', `${termsRead.oldest} to ${termsRead.newest}`] as const]),
    madeByTerm({ version: programVersion, madeBy }),
  ]
}

export const madeByTerm = ({ version, madeBy }: { version: string; madeBy: string | null }): Term => [
  'Made by',
  `Quotekeeper ${version}${madeBy === null ? '' : `, for ${madeBy}`}. The same data give the same file.`,
]

/** What cannot be concluded from the documents. */
export const LIMITS: Section = [
  'Limits of the data',
  [
    'Labels, methodologies and registry IDs are as claimed by the developer; no registry has been consulted.',
    'The documents do not say whether an offer is binding or on which contract terms.',
    'The reason an offer is missing is unknown: it may have been withdrawn or hidden.',
    'A change made and undone between two observations is not visible.',
    'Prices are as stated; taxes, fees, transfer and retirement costs are not included.',
  ].map((message, index): Term => [`${index + 1}`, message]),
]

/** What ranks go by. */
export const rankedBy = ({ priceBasis }: Pick<Settings, 'priceBasis'>): string =>
  priceBasis === 'quoted' ? 'price per tonne' : 'cost per tonne'

/** The terms of a workbook, with its settings. docs/COMPARISON.md has the rules. */
export function definitionSection(settings: Settings): Section {
  const { awardTolerance: tolerance, priceBasis, discountRate } = settings
  const awarded =
    tolerance === 'unlimited'
      ? 'the lowest total'
      : `the lowest total of those whose price per tonne is at most ${formatPercent(tolerance)} above the lowest`
  return [
    'Definitions',
    [
      ['Observed', 'Documents are polled: a change happened between two observations.'],
      [
        'Volume, total',
        'The sums of the delivery lines if every line has a volume and a price; otherwise the figures the offer states.',
      ],
      ['Price per tonne', 'Total ÷ volume.'],
      [
        'Present value',
        `Each payment ÷ (1 + ${formatPercent(discountRate)}) ^ (days ÷ 365). Pre-payments are part of the total; the balance is paid on delivery, pro rata.`,
      ],
      ['Coverage', 'Volume ÷ the requested tonnes, at most 100 %.'],
      [
        'Compared, ranked',
        `Offers that are submitted and still listed, with a volume and a total in a currency that can be converted, and that meet every hard requirement; by ${rankedBy(settings)}. A requirement that cannot be evaluated counts as not met.`,
      ],
      ['Award', `A set of whole offers. The recommended one has ${awarded}, compared by ${PRICED_BY[priceBasis]}.`],
      ['Efficient award', 'No other set of whole offers has at least as many tonnes, within the maximum, for less.'],
    ],
  ]
}
