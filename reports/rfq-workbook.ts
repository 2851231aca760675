import type { RfqReport } from '../src/domain/comparison/model.js'
import { bookOf, identityOf } from './book.js'
import type { SheetMaker } from './plan.js'
import { aboutSheet } from './sheets/about.js'
import { awardSheet } from './sheets/award.js'
import { changesSheet } from './sheets/changes.js'
import { checksSheet } from './sheets/checks.js'
import { comparisonSheet } from './sheets/comparison.js'
import { deliveriesSheet } from './sheets/deliveries.js'
import { inputsSheet } from './sheets/inputs.js'
import { offersSheet } from './sheets/offers.js'
import { prepaymentsSheet } from './sheets/prepayments.js'
import { scoringSheet } from './sheets/scoring.js'
import { sensitivitySheet } from './sheets/sensitivity.js'
import { summarySheet } from './sheets/summary.js'
import { type BuildOptions, buildWorkbook } from './workbook.js'

/** Makers of the sheets of an RFQ's workbook, in order: each is made when its turn has come. */
export function rfqSheets(report: RfqReport): SheetMaker[] {
  const book = bookOf(report)
  return [
    summarySheet,
    inputsSheet,
    comparisonSheet,
    offersSheet,
    deliveriesSheet,
    prepaymentsSheet,
    scoringSheet,
    awardSheet,
    sensitivitySheet,
    changesSheet,
    checksSheet,
    aboutSheet,
  ].map((make) => () => make(book))
}

/**
 * The offer-comparison workbook of one RFQ, as bytes. Equal reports give equal bytes.
 * @throws whatever `options.signal` was aborted with
 */
export function rfqWorkbook(report: RfqReport, options: BuildOptions = {}): Promise<Buffer> {
  return buildWorkbook(rfqSheets(report), identityOf(report), options)
}
