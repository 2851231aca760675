import type { RfqReport } from '../../src/compare/report/compare-offers.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { rfqAboutSheet } from './about-sheet.js'
import { choicesSheet } from './choices-sheet.js'
import { rfqLayout } from './layout.js'
import { deliveriesSheet, offersSheet, prepaymentsSheet } from './offers-sheet.js'
import { questionsSheet } from './questions-sheet.js'
import { summarySheet } from './summary-sheet.js'

/** The sheets of an RFQ's workbook in order; without offers, there is nothing to compare. */
export function rfqSheets(report: RfqReport): Record<string, WriteSheet> {
  const layout = rfqLayout(report)
  if (report.offers.length === 0) return { Summary: summarySheet(layout) }
  return {
    Summary: summarySheet(layout),
    Offers: offersSheet(layout),
    Deliveries: deliveriesSheet(layout),
    ...(layout.payments.length > 0 && { Prepayments: prepaymentsSheet(layout) }),
    Choices: choicesSheet(layout),
    Questions: questionsSheet(layout),
    About: rfqAboutSheet(layout),
  }
}
