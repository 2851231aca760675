import { rowPieces } from '../layout/text-fit.js'
import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { RfqLayout } from './layout.js'

const NOTE = 'What to ask each developer whose offers could change the decision, to copy.'
const TEXT_UNITS = 120

/** `Questions`: a text for each developer to copy. */
export const questionsSheet =
  ({ view, subject }: RfqLayout): WriteSheet =>
  (add) => {
    const sheet = add({ widths: [30, TEXT_UNITS], frozen: { rows: 2 } }).addHeading('Questions', subject, NOTE)
    sheet.add([text('Developer', style.header), text('Text', style.header)])
    const { questions } = view.decision
    if (questions.length === 0) sheet.add([text('There is nothing to ask.', style.hint)])
    for (const { developer, text: whole } of questions)
      for (const [at, piece] of rowPieces(whole, TEXT_UNITS).entries())
        sheet.add([text(at === 0 ? developer : '', style.boldWrapped), text(piece, style.wrapped)])
  }
