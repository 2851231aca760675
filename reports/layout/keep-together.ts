import { PAGE_POINTS, PAGE_UNITS } from '../xlsx/page-setup.js'
import { fittedHeight } from './rows.js'
import type { RowPlan } from './sheet-plan.js'

/** The height of rows in points. */
export const heightOf = (rows: readonly RowPlan[], widths: readonly number[]): number =>
  rows.reduce((sum, row) => sum + (row.working ? 0 : (row.height ?? fittedHeight(row, widths))), 0)

/**
 * The rows of blocks that are not split over printed pages: one that does not fit on the rest of a page begins a new one.
 * @param blocks the first one begins at the top of a page
 * @param widths of all printed columns
 * @param repeated height of the rows repeated on each page but the first
 * @param pageWidth width of the columns on one page; default: of all of them, side by side
 */
export function* keepTogether(
  blocks: Iterable<readonly RowPlan[]>,
  widths: readonly number[],
  repeated = 0,
  pageWidth: number = widths.reduce((sum, width) => sum + width, 0),
): Generator<RowPlan> {
  const scale = Math.min(1, PAGE_UNITS / pageWidth)
  // Programs scale to a whole percent below, so that a page has a little more room than this.
  const page = PAGE_POINTS / scale
  let used = 0
  for (const block of blocks) {
    const needed = heightOf(block, widths)
    const newPage = used > 0 && used + needed > page
    used = ((newPage ? repeated : used) + needed) % page
    yield* block.map((row, index) => (newPage && index === 0 ? { ...row, newPage } : row))
  }
}
