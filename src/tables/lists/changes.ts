import { type AwardTerms, REVISION_KINDS, type RevisionKind } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import { type ChangeEntry, MOVING_KINDS, readChanges } from '../changes/changes.js'
import { type Column, column, type Money, money } from '../column.js'
import { channelFilter, choiceFilter, FilterError, rfqFilter, sinceFilter } from '../filter.js'
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
    column('observedAt', 'Seen', 'moment', 9, ({ observedAt }) => observedAt, {
      link: ({ channel, rfqId, observedAt }) => `${rfqPath(channel, nameById(rfqId))}?as_of=${observedAt}`,
    }),
    column('notBefore', 'After', 'moment', 0, ({ notBefore }) => notBefore),
    column('rfq', 'RFQ', 'id', 9, ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId, {
      link: ({ channel, rfqId }) => rfqPath(channel, nameById(rfqId)),
    }),
    column('rfqId', 'Id of the RFQ', 'id', 0, ({ rfqId }) => rfqId),
    column('of', 'Of', 'text', 8, ({ label }) => label),
    column('changes', 'What changed', 'text', 9, ({ messages }) => messages.join(' ')),
    ...termsColumns('after', '', 5),
    column('moved', 'Difference', 'money', 8, movedBy),
    column('title', 'Title', 'text', 4, ({ rfqTitle }) => rfqTitle),
    column('channel', 'Channel', 'text', 7, ({ channel }) => channel),
    column('kind', 'Kind', 'text', 0, ({ entity }) => entity),
    column('id', 'Id', 'id', 0, ({ id }) => id),
    column('version', 'Version', 'id', 0, ({ version }) => version),
    ...termsColumns('before', ' before', 0),
  ],
  filters: [
    channelFilter('channel'),
    rfqFilter({ channel: 'channel', id: 'rfq_id' }),
    choiceFilter(
      'kind',
      'About',
      ['money', ...REVISION_KINDS],
      'Only changes of offers, recommendations, awards, or RFQs; `money`: recommendations and awards.',
    ),
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
    column(`${of}Offers`, `Awarded offers${word}`, 'text', 0, (entry) => terms(entry)?.offers ?? null),
    column(`${of}Tonnes`, `Tonnes${word}`, 'tonnes', weight, (entry) => terms(entry)?.tonnes ?? null),
    column(`${of}Total`, `Total${word}`, 'money', weight, (entry) =>
      money(terms(entry)?.total, terms(entry)?.currency),
    ),
  ]
}

/** By how much the total moved; null if nothing moved, or the currencies differ. */
function movedBy({ before, after }: ChangeEntry): Money | null {
  const currency = (after ?? before)?.currency
  if (currency === undefined || (before ?? after)?.currency !== currency) return null
  return money((after?.total ?? 0) - (before?.total ?? 0) || null, currency)
}
