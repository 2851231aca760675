import type { AwardTerms } from '../../core/events/events.js'
import { nameById } from '../../core/text/rfq-name.js'
import { CHANGE_KINDS, type ChangeEntry, type ChangeKind, MONEY, readChanges } from '../changes/changes.js'
import { type Column, column, type Money, money } from '../column.js'
import { channelFilter, choiceFilter, FilterError, rfqFilter, sinceFilter } from '../filter.js'
import type { RfqRef } from '../find-rfq.js'
import type { List } from '../list.js'
import { rfqPath } from '../page-paths.js'

/** The events of RFQs: awards on record and recommended ones, then the documents. */
export const changes: List<ChangeEntry> = {
  name: 'changes',
  title: 'Changes',
  about: 'What changed: first the awards and recommendations, then RFQs and offers; each newest first.',
  empty: 'Nothing changed in this period.',
  columns: [
    column('observedAt', 'Seen', 'moment', 9, ({ at }) => at, {
      link: ({ channel, rfqId, at }) => `${rfqPath(channel, nameById(rfqId))}?as_of=${at}`,
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
    column('kind', 'Kind', 'text', 0, ({ kind }) => kind),
    column('id', 'Id', 'id', 0, ({ offerId, rfqId }) => offerId ?? rfqId),
    column('version', 'Version', 'id', 0, ({ version }) => version),
    column('sequence', 'Sequence', 'id', 0, ({ sequence }) => sequence),
    ...termsColumns('before', ' before', 0),
  ],
  filters: [
    channelFilter('channel'),
    rfqFilter({ channel: 'channel', id: 'rfq_id' }),
    choiceFilter(
      'kind',
      'About',
      ['money', ...CHANGE_KINDS],
      'Only changes of offers, recommendations, awards, or RFQs; `money`: recommendations and awards.',
    ),
    sinceFilter('', 'Only what was seen since'),
  ],
  async read(source, { filters, cursor, limit }) {
    const kind = filters.kind?.value as ChangeKind | 'money' | undefined
    const filter = {
      rfq: filters.rfq?.value as RfqRef | undefined,
      channel: filters.channel?.value as string | undefined,
      since: filters.since?.value as Date | undefined,
      kinds: kind === 'money' ? MONEY : kind && [kind],
    }
    const page = await readChanges(source, filter, { cursor, limit })
    if (page === null)
      throw new FilterError('cursor', 'cursor is not the next page of this list; begin again without it')
    return { ...page, total: null }
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
