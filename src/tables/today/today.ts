import { z } from 'zod'
import type { AwardTerms } from '../../core/events/events.js'
import { formatCount, formatTotal, withRoundedNumbers } from '../../core/text/number-format.js'
import { addDays } from '../../core/time/calendar-days.js'
import { EARLIEST_DUE_DATE } from '../../core/time/expiry.js'
import { allOf } from '../../store/sql/sql-database.js'
import { dueOf } from '../channels/channel-rules.js'
import { readList } from '../list.js'
import { changes, termsOf } from '../lists/changes.js'
import type { RfqRow } from '../lists/rfq-row.js'
import { DUE_WITHIN_DAYS, dayParameters, IS_RFQ, rfqJoins, rfqs, URGENCY } from '../lists/rfqs.js'
import { jsonRows, jsonSchema } from '../print/json.js'
import { count, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'
import { closingMatters, matterSchema, systemMatters } from './matters.js'

const amount = z.strictObject({
  kind: z.enum(['accepted', 'awarded', 'recommended']),
  currency: text,
  rfqs: count,
  tonnes: z.number(),
  total: z.number(),
})

const summarySchema = z.strictObject({
  open: count.describe('Open RFQs.'),
  waiting: count.describe('RFQs that wait for a person: the rows of `rfqs` on all pages.'),
  due: count.describe(`Open RFQs that are due within ${DUE_WITHIN_DAYS} days, today included.`),
  overdue: count.describe('Open RFQs that are past due, and past the grace period of their channel.'),
  atStake: z
    .array(amount)
    .describe(
      'Of the RFQs that are open or undecided: what is accepted, else awarded on record, else recommended; each tonne once.',
    ),
})

const sums = z.strictObject({ tonnes: z.number(), total: z.number() })
const movedSchema = z.strictObject({ currency: text, rfqs: count, before: sums, after: sums })
type Moved = z.infer<typeof movedSchema>

/** Today as programs get it. */
export const todaySchema = z
  .strictObject({
    asOf: timestamp,
    since: timestamp.describe('The beginning of the last working day.'),
    summary: summarySchema,
    moved: z.array(movedSchema).describe('How awards on record and recommendations moved since, by currency.'),
    rfqs: z
      .array(jsonSchema(rfqs.columns))
      .describe('The RFQs that wait for a person, most urgent first: the list of RFQs with `waiting=true`.'),
    closings: z
      .array(matterSchema)
      .describe(
        'Overdue RFQs that no closing round closes, closes that are not settled, and what keeps a channel from closing.',
      ),
    system: z.array(matterSchema).describe('Channels that are behind, and notifications that were given up.'),
  })
  .meta({ id: 'Today' })

export type Today = Omit<z.infer<typeof todaySchema>, 'rfqs'> & { rfqs: RfqRow[] }

export interface TodayOptions {
  now: Date
  /** What moved is told since this moment. Default: the beginning of the last working day. */
  since?: Date
  channel?: string
  /** RFQs to return. Default 40. */
  limit?: number
}

/** What waits for a person: RFQs by urgency, and what is not about one RFQ alone. */
export async function today(source: ViewSource, options: TodayOptions): Promise<Today> {
  const { now, since = lastWorkingDay(now), channel, limit = 40 } = options
  const filter = channel === undefined ? {} : { channel }
  const { rows, total } = await readList(rfqs, source, { now, limit, parameters: { waiting: 'true', ...filter } })
  return {
    ...{ asOf: now.toISOString(), since: since.toISOString() },
    summary: { ...(await summaryOf(source, options)), waiting: total },
    moved: withRoundedNumbers(await movedSince(source, { now, since, ...filter })),
    rfqs: rows,
    closings: await closingMatters(source, { now, ...filter }),
    system: await systemMatters(source, { now, ...filter }),
  }
}

/** Today as `todaySchema` describes it. */
export const todayJson = ({ rfqs: rows, ...rest }: Today) => ({
  ...rest,
  rfqs: jsonRows(rfqs.columns, rows),
})

/** How awards on record and recommendations moved since a moment, by currency: the sums of the RFQs that are awarded otherwise than then. */
export async function movedSince(
  source: ViewSource,
  { now, since, ...filter }: { now: Date; since: Date; channel?: string },
): Promise<Moved[]> {
  const parameters = { kind: 'money', since: since.toISOString(), ...filter }
  const { rows } = await readList(changes, source, { now, parameters })
  const rfqTerms = new Map<string, Record<'before' | 'after', AwardTerms | null>>()
  for (const row of rows) {
    if (row.data.moved === undefined) continue
    // Newest first: the oldest says what it was before all of them.
    const name = `${row.channel}\t${row.rfqId}`
    rfqTerms.set(name, { after: termsOf(row, 'after'), ...rfqTerms.get(name), before: termsOf(row, 'before') })
  }
  const moved = new Map<string, Moved>()
  for (const { before, after } of rfqTerms.values()) {
    if (before?.currency === after?.currency && before?.total === after?.total) continue
    for (const [at, terms] of [['before', before] as const, ['after', after] as const]) {
      if (terms === null) continue
      const { currency, tonnes, total } = terms
      const none = { currency, rfqs: 0, before: { tonnes: 0, total: 0 }, after: { tonnes: 0, total: 0 } }
      const amounts = moved.get(currency) ?? none
      amounts[at].tonnes += tonnes
      amounts[at].total += total
      if (at === 'before' || before?.currency !== currency) amounts.rfqs++
      moved.set(currency, amounts)
    }
  }
  const size = (each: Moved) => Math.abs(each.after.total - each.before.total)
  return [...moved.values()].sort((a, b) => size(b) - size(a))
}

/** `3 RFQs are to be awarded otherwise: 1,204,000 → 1,150,000 USD, 54,000 less.` */
export const movedText = ({ currency, rfqs: changed, before, after }: Moved): string => {
  const difference = Math.round(after.total) - Math.round(before.total)
  const [was, is, by] = [before.total, after.total, Math.abs(difference)].map((total) => formatTotal(total, null))
  return `${formatCount(changed, 'RFQ')} to be awarded otherwise: ${changed > 1 ? 'together ' : ''}${was} → ${is} ${currency}, ${by} ${difference < 0 ? 'less' : 'more'}.`
}

/** How many RFQs wait for a person. */
export async function countWaiting(source: ViewSource, now: Date): Promise<number> {
  const { database: queries } = source.store
  const row = await queries.get<{ rfqs: number }>(
    `select count(*) as rfqs from documents t ${rfqJoins(queries.dialect)} where ${IS_RFQ} and ${URGENCY} > 0`,
    await dayParameters(source, now),
  )
  return row?.rfqs ?? 0
}

async function summaryOf(source: ViewSource, { now, channel }: TodayOptions) {
  const { database: queries } = source.store
  const { dialect } = queries
  const where = allOf(IS_RFQ, channel !== undefined && 't.channel = @channel')
  const parameters = { ...(await dayParameters(source, now)), channel: channel ?? null }
  const isOpen = `t.state = 'open' and t.missing_since is null`
  const groups = await queries.all<{ key: string; dueDate: string | null; rfqs: number }>(
    `select t.channel as key, t.due_date as "dueDate", count(*) as rfqs from documents t
    where ${where} and ${isOpen} group by t.channel, t.due_date`,
    parameters,
  )
  const atStake = await queries.all<z.infer<typeof amount>>(
    `select s.value ->> 'kind' as kind, s.value ->> 'currency' as currency, count(*) as rfqs,
      sum(cast(s.value ->> 'tonnes' as double precision)) as tonnes, sum(cast(s.value ->> 'total' as double precision)) as total
    from documents t ${rfqJoins(dialect)} cross join ${dialect.elementsOf("coalesce(r.stakes, '[]')")} s
    where ${where} and (${isOpen} or r.attention > 0 or r.award_status = 'waiting')
    group by s.value ->> 'kind', s.value ->> 'currency' order by 1, 2`,
    parameters,
  )
  const counts = { open: 0, due: 0, overdue: 0 }
  for (const { key, dueDate, rfqs: number } of groups) {
    const { daysToDue, overdue } = dueOf({ state: 'open', dueDate }, source.rulesOf(key), now)
    counts.open += number
    if (overdue) counts.overdue += number
    else if ((dueDate ?? '') >= EARLIEST_DUE_DATE && daysToDue !== null && daysToDue <= DUE_WITHIN_DAYS)
      counts.due += number
  }
  return { ...counts, atStake: withRoundedNumbers(atStake) }
}

/** The beginning of the day in UTC before this one that is no Saturday or Sunday. */
export function lastWorkingDay(now: Date): Date {
  const today = now.toISOString().slice(0, 10)
  const back = { 0: 2, 1: 3 }[now.getUTCDay()] ?? 1
  return new Date(addDays(today, -back))
}
