import { z } from 'zod'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { AwardFilter } from '../../store/contract.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { nullableText, text } from '../schema.js'
import type { ViewSource } from '../source.js'
import { awardRecordSchema } from './award-schema.js'
import { type StandingAward, standingAwards } from './standing-awards.js'

/** Those about which a person has to do something come first. */
export const AWARD_STATES = ['differs', 'waiting', 'accepted', 'withdrawn'] as const

/** What the states are called. */
export const STATE_TEXTS: Record<(typeof AWARD_STATES)[number], string> = {
  differs: 'differs',
  waiting: 'waiting for acceptance',
  accepted: 'accepted',
  withdrawn: 'withdrawn',
}

/** An award in the list of all awards. */
export const awardItem = awardRecordSchema
  .extend({
    rfqName: text.describe('What to call the RFQ in paths and commands.'),
    rfqTitle: nullableText,
    state: z
      .enum(AWARD_STATES)
      .describe('What the marketplace shows of it, as in the comparison of the RFQ; or that it was withdrawn.'),
    acceptBy: nullableText.describe('While it waits: the date on which the first of its offers expires.'),
    message: nullableText.describe('What the marketplace shows that matters, in sentences.'),
    next: nullableText.describe('What to do next; null once it was withdrawn.'),
  })
  .meta({ id: 'AwardItem' })
export type AwardItem = z.infer<typeof awardItem>

/** Which awards are listed, newest first. */
export type AwardListQuery = Omit<AwardFilter, 'standing' | 'rfqIds'> & { now: Date }

/** The awards of the desk, with what the marketplace shows of them. */
export async function listAwards(source: ViewSource, query: AwardListQuery): Promise<AwardItem[]> {
  const { now, ...filter } = query
  const { asOf } = filter
  const awards = await source.store.awards(filter)
  const states = new Map<string, StandingAward>()
  const rows = new Map<string, RfqListRow>()
  for (const channel of new Set(awards.map((award) => award.channel))) {
    const ids = [...new Set(awards.flatMap((award) => (award.channel === channel ? award.rfqId : [])))]
    for (const [key, each] of await standingAwards(source, { channel, ids, now, asOf })) states.set(key, each)
    for (const row of await source.rfqs.rows({ now, channel, ids, ...(asOf && { asOf }) }))
      rows.set(`${channel}\t${row.id}`, row)
  }
  return awards.map((award) => {
    const key = `${award.channel}\t${award.rfqId}`
    return toItem(award, states.get(key), rows.get(key), asOf)
  })
}

function toItem(
  award: AwardRecord,
  standing: StandingAward | undefined,
  row: RfqListRow | undefined,
  asOf: Date | undefined,
): AwardItem {
  const { status = 'waiting', findings = [], next = null } = (award.withdrawn === null && standing?.state) || {}
  const state = award.withdrawn === null ? status : 'withdrawn'
  const [firstExpiry = null] = award.offers.flatMap(({ expiryDate }) => expiryDate ?? []).sort()
  return {
    ...award,
    // What is led to is shown as it is now, when another RFQ may have the number.
    rfqName: row === undefined || asOf !== undefined ? nameById(award.rfqId) : row.name,
    rfqTitle: row?.title ?? null,
    state,
    acceptBy: state === 'waiting' ? firstExpiry : null,
    message: findings.map(({ message }) => message).join(' ') || null,
    next,
  }
}
