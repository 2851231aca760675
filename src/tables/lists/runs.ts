import { RUN_KINDS, RUN_OUTCOMES } from '../../core/records.js'
import { field } from '../column.js'
import { channelFilter, choiceFilter, sinceFilter } from '../filter.js'
import { sqlList } from '../list.js'

/** Polls and closing rounds. */
export const runs = sqlList({
  name: 'runs',
  title: 'Runs',
  about: 'Polls and closing rounds, newest first.',
  empty: 'No runs yet. The service polls on its schedule; `quotekeeper sync` polls now.',
  columns: [
    field('id', 'Run', 'id', 6, 't.id'),
    field('startedAt', 'Started', 'moment', 9, 't.started_at'),
    field('finishedAt', 'Finished', 'moment', 4, 't.finished_at'),
    field('channel', 'Channel', 'text', 7, 't.channel'),
    field('kind', 'Kind', 'text', 9, 't.kind'),
    field('outcome', 'Outcome', 'state', 9, "coalesce(t.outcome, 'running')", {
      value: ({ outcome, suspicious }) => (suspicious === 1 ? [outcome, 'list not whole'] : outcome),
    }),
    field('requests', 'Requests', 'count', 3, 't.requests'),
    field('seen', 'Seen', 'count', 5, 't.seen'),
    field('new', 'New', 'count', 7, 't.inserted'),
    field('changed', 'Changed', 'count', 7, 't.changed'),
    field('unchanged', 'Unchanged', 'count', 0, 't.unchanged'),
    field('missing', 'Missing', 'count', 6, 't.missing'),
    field('invalid', 'Invalid', 'count', 6, 't.invalid'),
    field('postponed', 'Postponed', 'count', 3, 't.postponed'),
    field('error', 'Error', 'text', 8, 't.error'),
  ],
  filters: [
    channelFilter(),
    choiceFilter('kind', 'Kind', RUN_KINDS, 'Only runs of this kind.'),
    choiceFilter('outcome', 'Outcome', RUN_OUTCOMES, 'Only runs with this outcome.'),
    sinceFilter('t.started_at > @since', 'Only runs that started since'),
  ],
  query: {
    table: 'runs',
    key: ['id'],
    select: { suspicious: 't.suspicious' },
    order: [{ expression: 't.id', descending: true }],
  },
})
