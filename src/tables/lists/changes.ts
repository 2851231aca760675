import { type AwardTerms, REVISION_KINDS, type RevisionKind } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import { type ChangeEntry, MOVING_KINDS, readChanges } from '../changes/changes.js'
import { type Column, type Money, money } from '../column.js'
import { channelFilter, FilterError, rfqFilter, sinceFilter } from '../filter.js'
import type { RfqRef } from '../find-rfq.js'
import type { List } from '../list.js'
import { rfqPath } from '../page-paths.js'

/** What moved in RFQs: awards on record and recommended ones, then the documents. */
export const changes: List<ChangeEntry> = {
  name: 'changes',
  title: 'Changes',
  about: 'What changed: first the awards and recommendations, then RFQs and offers; each newest first.',
  empty: 'Nothing changed in this period.',
  columns: [
    {
      ...{ key: 'observedAt', header: 'Seen', kind: 'moment', weight: 9 },
      value: ({ observedAt }) => observedAt,
      // What was known then.
      link: ({ channel, rfqId, observedAt }) => `${rfqPath(channel, nameById(rfqId))}?as_of=${observedAt}`,
    },
    { key: 'notBefore', header: 'After', kind: 'moment', weight: 0, value: ({ notBefore }) => notBefore },
    {
      ...{ key: 'rfq', header: 'RFQ', kind: 'id', weight: 9 },
      value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
      link: ({ channel, rfqId }) => rfqPath(channel, nameById(rfqId)),
    },
    { key: 'rfqId', header: 'Id of the RFQ', kind: 'id', weight: 0, value: ({ rfqId }) => rfqId },
    { key: 'of', header: 'Of', kind: 'text', weight: 8, value: ({ label }) => label },
    { key: 'changes', header: 'What changed', kind: 'text', weight: 9, value: ({ messages }) => messages.join(' ') },
    ...termsColumns('after', '', 5),
    { key: 'moved', header: 'Difference', kind: 'money', weight: 8, value: movedBy },
    { key: 'title', header: 'Title', kind: 'text', weight: 4, value: ({ rfqTitle }) => rfqTitle },
    { key: 'channel', header: 'Channel', kind: 'text', weight: 7, value: ({ channel }) => channel },
    { key: 'kind', header: 'Kind', kind: 'text', weight: 0, value: ({ entity }) => entity },
    { key: 'id', header: 'Id', kind: 'id', weight: 0, value: ({ id }) => id },
    { key: 'version', header: 'Version', kind: 'id', weight: 0, value: ({ version }) => version },
    ...termsColumns('before', ' before', 0),
  ],
  filters: [
    channelFilter('channel'),
    rfqFilter({ channel: 'channel', id: 'rfq_id' }),
    {
      ...{ name: 'kind', kind: 'choice', header: 'About', values: ['money', ...REVISION_KINDS], where: '' },
      describe: 'Only changes of offers, recommendations, awards, or RFQs; `money`: recommendations and awards.',
    },
    sinceFilter('', 'Only what was seen since'),
  ],
  async read({ store }, { filters, cursor, limit }) {
    const rfq = filters.rfq?.value as RfqRef | undefined
    const channel = rfq?.channel ?? (filters.channel?.value as string | undefined)
    const [after, kind] = [filters.since?.value as Date | undefined, filters.kind?.value as RevisionKind | 'money']
    try {
      const page = await readChanges(store, {
        ...(channel !== undefined && { channel }),
        ...(rfq && { rfqId: rfq.id }),
        ...(after && { after }),
        ...(kind && { kinds: kind === 'money' ? MOVING_KINDS : [kind] }),
        ...{ cursor, limit },
      })
      return { ...page, total: null }
    } catch (error) {
      if ((error as Error).name !== 'InvalidCursorError') throw error
      throw new FilterError('cursor', 'cursor is not the next page of this list; begin again without it')
    }
  },
}

/** What an RFQ was to be awarded by. */
function termsColumns(of: 'before' | 'after', word: string, weight: number): Column<ChangeEntry>[] {
  const terms = (entry: ChangeEntry): AwardTerms | null => entry[of]
  return [
    {
      key: `${of}Offers`,
      header: `Awarded offers${word}`,
      kind: 'text',
      weight: 0,
      value: (entry) => terms(entry)?.offers ?? null,
    },
    {
      key: `${of}Tonnes`,
      header: `Tonnes${word}`,
      kind: 'tonnes',
      weight,
      value: (entry) => terms(entry)?.tonnes ?? null,
    },
    {
      ...{ key: `${of}Total`, header: `Total${word}`, kind: 'money', weight },
      value: (entry) => money(terms(entry)?.total, terms(entry)?.currency),
    },
  ]
}

/** By how much the total moved; null if nothing moved, or the currencies differ. */
function movedBy({ before, after }: ChangeEntry): Money | null {
  const currency = (after ?? before)?.currency
  if (currency === undefined || (before ?? after)?.currency !== currency) return null
  return money((after?.total ?? 0) - (before?.total ?? 0) || null, currency)
}
