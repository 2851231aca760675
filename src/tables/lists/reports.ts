import { nameById } from '../../core/text/rfq-name.js'
import { field } from '../column.js'
import { channelFilter, RFQ_FILTER, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'
import { reportPath, rfqPath } from '../page-paths.js'

/** Workbooks that were written. */
export const reports = sqlList({
  name: 'reports',
  title: 'Reports',
  about: 'Workbooks that were written, newest first. One that was made stays as it is.',
  empty: 'No report was made yet. `quotekeeper report` makes one.',
  columns: [
    field('madeAt', 'Made', 'moment', 9, 't.made_at'),
    field('name', 'Report', 'text', 9, 't.name', { link: ({ name }) => reportPath(name) }),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('rfq', 'RFQ', 'id', 0, 't.rfq_id', {
      link: ({ channel, rfq }) => (rfq == null ? null : rfqPath(channel, nameById(rfq))),
    }),
    field('asOf', 'As of', 'moment', 4, 't.as_of'),
    field('madeBy', 'Made by', 'text', 5, 't.made_by'),
    field('bytes', 'Bytes', 'count', 3, 't.bytes'),
    field('sha256', 'SHA-256', 'id', 0, 't.sha256'),
  ],
  filters: [channelFilter(), RFQ_FILTER, sinceFilter('t.made_at > @since', 'Only reports made since')],
  query: {
    table: 'reports',
    key: ['id'],
    // A report that is made again replaces its file.
    where: 't.id in (select max(id) from reports group by name)',
    order: [{ expression: 't.id', descending: true }],
  },
})
