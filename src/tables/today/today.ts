import { sum } from '../../core/numbers.js'
import { withRoundedNumbers } from '../../core/text/number-format.js'
import type { OpenValue } from '../../store/contract.js'
import { findCandidates } from './candidates.js'
import { readClosings } from './closing.js'
import { rfqRows } from './rfqs.js'
import { systemItems } from './system.js'
import {
  DUE_WITHIN_DAYS,
  ROWS_PER_PAGE,
  type Today,
  type TodayContext,
  type TodayOptions,
  type TodaySource,
} from './today-view.js'

/** What needs attention: one row for each RFQ, most urgent first; closings and the system apart. */
export async function today(source: TodaySource, options: TodayOptions): Promise<Today> {
  const { now, since, channel, dueWithinDays = DUE_WITHIN_DAYS, page = { from: 0, to: ROWS_PER_PAGE } } = options
  const context: TodayContext = {
    ...{ source, now, since, dueWithinDays },
    ...(channel !== undefined && { channel }),
  }
  const closings = await readClosings(context)
  const candidates = await findCandidates(context, closings.named)
  const rfqs = await rfqRows(context, candidates.rows.slice(page.from, page.to), closings)
  const system = await systemItems(context)
  const waiting = [...candidates.rows, ...closings.items, ...system].filter(({ severity }) => severity !== 'low')
  return {
    ...{ asOf: now.toISOString(), since: since.toISOString(), dueWithinDays },
    summary: {
      open: sum(candidates.open.map((each) => each.rfqs)),
      values: valuesOf(candidates.open),
      due: candidates.due,
      overdue: candidates.overdue,
      waiting: waiting.length,
    },
    rfqs,
    totalRfqs: candidates.rows.length,
    closings: closings.items,
    system,
  }
}

/** The engines add in different orders. */
const valuesOf = (open: readonly OpenValue[]): Today['summary']['values'] =>
  withRoundedNumbers(
    open
      .flatMap(({ currency, rfqs, tonnes, total }) =>
        currency === null || total === null ? [] : { currency, rfqs, tonnes: tonnes ?? 0, total },
      )
      .sort((a, b) => b.total - a.total),
  )
