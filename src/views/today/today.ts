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
  const { asOf, since, channel, dueWithinDays = DUE_WITHIN_DAYS, page = { from: 0, to: ROWS_PER_PAGE } } = options
  const now = asOf ?? options.now
  const context: TodayContext = {
    ...{ source, now, since, dueWithinDays },
    ...(asOf && { asOf }),
    ...(channel !== undefined && { channel }),
  }
  const closings = await readClosings(context)
  const candidates = await findCandidates(context, closings.named)
  const rfqs = await rfqRows(context, candidates.rows.slice(page.from, page.to), candidates, closings)
  const system = asOf === undefined ? await systemItems(context) : []
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

/** Of several channels of the past, the sums of each currency are added. */
function valuesOf(open: readonly OpenValue[]) {
  const byCurrency = new Map<string, Today['summary']['values'][number]>()
  for (const { currency, rfqs, tonnes, total } of open) {
    if (currency === null || total === null) continue
    const known = byCurrency.get(currency) ?? { currency, rfqs: 0, tonnes: 0, total: 0 }
    byCurrency.set(currency, {
      currency,
      rfqs: known.rfqs + rfqs,
      tonnes: known.tonnes + (tonnes ?? 0),
      total: known.total + total,
    })
  }
  // The engines add in different orders.
  return withRoundedNumbers([...byCurrency.values()].sort((a, b) => b.total - a.total))
}
