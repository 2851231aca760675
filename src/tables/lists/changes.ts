import { REVISION_KINDS, type RevisionKind } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import { type ChangeEntry, changeFeed } from '../changes/changes.js'
import { channelFilter, FilterError, rfqFilter, sinceFilter } from '../filter.js'
import type { RfqRef } from '../find-rfq.js'
import type { List } from '../list.js'
import { rfqPath } from '../page-paths.js'

/** What changed in RFQs, offers, recommendations and awards. */
export const changes: List<ChangeEntry> = {
  name: 'changes',
  title: 'Changes',
  about: 'What changed in RFQs and their offers, in recommendations and awards, newest first.',
  empty: 'Nothing changed in this period.',
  columns: [
    { key: 'observedAt', header: 'Seen', kind: 'moment', weight: 9, value: ({ observedAt }) => observedAt },
    { key: 'notBefore', header: 'After', kind: 'moment', weight: 0, value: ({ notBefore }) => notBefore },
    {
      ...{ key: 'rfq', header: 'RFQ', kind: 'id', weight: 9 },
      value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
      link: ({ channel, rfqId }) => rfqPath(channel, nameById(rfqId)),
    },
    { key: 'rfqId', header: 'Id of the RFQ', kind: 'id', weight: 0, value: ({ rfqId }) => rfqId },
    { key: 'title', header: 'Title', kind: 'text', weight: 4, value: ({ rfqTitle }) => rfqTitle },
    { key: 'channel', header: 'Channel', kind: 'text', weight: 2, value: ({ channel }) => channel },
    { key: 'kind', header: 'Kind', kind: 'text', weight: 0, value: ({ entity }) => entity },
    { key: 'id', header: 'Id', kind: 'id', weight: 0, value: ({ id }) => id },
    { key: 'of', header: 'Of', kind: 'text', weight: 8, value: ({ label }) => label },
    { key: 'version', header: 'Version', kind: 'id', weight: 0, value: ({ version }) => version },
    { key: 'changes', header: 'What changed', kind: 'text', weight: 9, value: ({ messages }) => messages.join(' ') },
  ],
  filters: [
    channelFilter('channel'),
    rfqFilter({ channel: 'channel', id: 'rfq_id' }),
    {
      ...{ name: 'kind', kind: 'choice', header: 'About', values: REVISION_KINDS, where: '' },
      describe: 'Only changes of offers, recommendations, awards, or RFQs.',
    },
    sinceFilter('', 'Only what was seen since'),
  ],
  async read({ store }, { filters, cursor, limit }) {
    const rfq = filters.rfq?.value as RfqRef | undefined
    const channel = rfq?.channel ?? (filters.channel?.value as string | undefined)
    const [after, kind] = [filters.since?.value as Date | undefined, filters.kind?.value as RevisionKind | undefined]
    try {
      const { entries, nextCursor } = await changeFeed(store, {
        ...(channel !== undefined && { channel }),
        ...(rfq && { rfqId: rfq.id }),
        ...(after && { after }),
        ...(kind && { kinds: [kind] }),
        ...(cursor !== null && { before: cursor }),
        limit,
      })
      return { rows: entries, total: null, next: nextCursor }
    } catch (error) {
      if ((error as Error).name !== 'InvalidCursorError') throw error
      throw new FilterError('cursor', 'cursor is not the next page of this list; begin again without it')
    }
  },
}
