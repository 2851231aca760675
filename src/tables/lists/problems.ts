import { nameById } from '../../core/text/rfq-name.js'
import { field } from '../column.js'
import { channelFilter, choiceFilter, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { rfqPath } from '../page-paths.js'

const KINDS = ['listing', 'rfq', 'response']

/** Deviations of documents from the API description of the marketplace. */
export const problems = sqlList({
  name: 'problems',
  title: 'Problems',
  about:
    'Deviations of documents from the API description, last seen first. A value that cannot be used counts as unknown.',
  empty: 'No document deviates from the API description.',
  columns: [
    field('lastSeenAt', 'Last seen', 'moment', 9, 't.last_seen_at'),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('kind', 'Document', 'text', 9, 't.kind'),
    field('id', 'Id', 'id', 5, 't.entity_id', {
      link: ({ kind, channel, id }) => (kind === 'rfq' ? rfqPath(channel, nameById(id)) : null),
    }),
    field('path', 'Field', 'text', 8, 't.path'),
    field('code', 'Code', 'text', 0, 't.code'),
    field('message', 'Problem', 'text', 9, 't.message'),
    field('firstSeenAt', 'First seen', 'moment', 3, 't.first_seen_at'),
    field('times', 'Times', 'count', 4, 't.times'),
  ],
  filters: [
    channelFilter(),
    choiceFilter('kind', 'Document', KINDS, 'Only those of this kind of document.'),
    sinceFilter('t.last_seen_at > @since', 'Only those seen since'),
  ],
  query: {
    table: 'problems',
    key: ['channel', 'kind', 'entity_id', 'path', 'code'],
    order: [{ expression: 't.last_seen_at', descending: true }],
  },
})
