import { z } from 'zod'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { AwardFilter } from '../../store/contract.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { nullableText, text } from '../schema.js'
import type { ViewSource } from '../source.js'
import { awardRecordSchema } from './award-schema.js'
import { type StandingAward, withStates } from './standing-awards.js'

/** Those about which a person has to do something come first. */
export const AWARD_STATES = ['differs', 'waiting', 'accepted', 'none', 'withdrawn'] as const

/** What the states are called. */
export const STATE_TEXTS: Record<(typeof AWARD_STATES)[number], string> = {
  differs: 'differs',
  waiting: 'waiting for acceptance',
  accepted: 'accepted',
  none: 'no award',
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
export type AwardListQuery = Omit<AwardFilter, 'standing' | 'rfqIds' | 'asOf'> & { now: Date }

/** A part of the list of awards in which those that have to be settled come first. */
export interface AwardPage {
  items: AwardItem[]
  /** Awards of each state, on all pages. */
  counts: Record<AwardItem['state'], number>
}

type AwardWithState = AwardRecord & Pick<AwardItem, 'state' | 'acceptBy' | 'message' | 'next'>

/** The awards of the desk, newest first, with what the marketplace shows of them. */
export const listAwards = async (source: ViewSource, query: AwardListQuery): Promise<AwardItem[]> =>
  toItems(source, await readAwards(source, query), query)

/** The same, those that differ first, then those that wait. */
export async function awardPage(
  source: ViewSource,
  { page, ...query }: AwardListQuery & { page: { from: number; to: number } },
): Promise<AwardPage> {
  const awards = await readAwards(source, query)
  const isSettled = ({ state }: AwardWithState) => state !== 'differs' && state !== 'waiting'
  const ordered = [
    ...awards.filter(({ state }) => state === 'differs'),
    ...awards.filter(({ state }) => state === 'waiting'),
    ...awards.filter(isSettled),
  ]
  const counts = { differs: 0, waiting: 0, accepted: 0, none: 0, withdrawn: 0 }
  for (const { state } of awards) counts[state]++
  return { items: await toItems(source, ordered.slice(page.from, page.to), query), counts }
}

async function readAwards(source: ViewSource, { now, ...filter }: AwardListQuery): Promise<AwardWithState[]> {
  const awards = await source.store.awards(filter)
  const standing = new Map<string, StandingAward>()
  for (const channel of new Set(awards.map((award) => award.channel))) {
    const own = awards.filter((award) => award.channel === channel && award.withdrawn === null)
    for (const [key, each] of await withStates(source, own, { channel, now })) standing.set(key, each)
  }
  return awards.map((award) => {
    if (award.withdrawn !== null) return { ...award, state: 'withdrawn', acceptBy: null, message: null, next: null }
    const { status, findings, next } = standing.get(keyOf(award))?.state ?? UNKNOWN_STATE
    const [firstExpiry = null] = award.offers.flatMap(({ expiryDate }) => expiryDate ?? []).sort()
    const message = findings.map((finding) => finding.message).join(' ') || null
    return { ...award, state: status, acceptBy: status === 'waiting' ? firstExpiry : null, message, next }
  })
}

/** Of an award whose RFQ is not stored, as after a restore. */
const UNKNOWN_STATE = { status: 'waiting', findings: [], next: null } as const

const keyOf = ({ channel, rfqId }: Pick<AwardRecord, 'channel' | 'rfqId'>) => `${channel}\t${rfqId}`

/** Adds what the RFQs are called. */
async function toItems(
  source: ViewSource,
  awards: readonly AwardWithState[],
  { now }: Pick<AwardListQuery, 'now'>,
): Promise<AwardItem[]> {
  const rows = new Map<string, RfqListRow>()
  for (const channel of new Set(awards.map((award) => award.channel))) {
    const ids = [...new Set(awards.flatMap((award) => (award.channel === channel ? award.rfqId : [])))]
    for (const row of await source.rfqs.rows({ now, channel, ids })) rows.set(keyOf({ channel, rfqId: row.id }), row)
  }
  return awards.map((award) => {
    const row = rows.get(keyOf(award))
    return { ...award, rfqName: row?.name ?? nameById(award.rfqId), rfqTitle: row?.title ?? null }
  })
}
