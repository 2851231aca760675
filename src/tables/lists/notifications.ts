import { DELIVERY_STATES } from '../../core/events/deliveries.js'
import type { Queries } from '../../store/contract.js'
import { field } from '../column.js'
import { choiceFilter } from '../filter.js'
import { sqlList } from '../list.js'

const targetsOf = async (queries: Queries): Promise<string[]> =>
  (await queries.all<{ target: string }>('select distinct target from deliveries order by target')).map(
    ({ target }) => target,
  )

/** Deliveries of events to targets. */
export const notifications = sqlList({
  name: 'notifications',
  title: 'Notifications',
  about: 'Notifications of events, each for one target, newest first.',
  empty: 'No notification was sent, and none waits.',
  columns: [
    field('id', 'Id', 'id', 5, 't.id'),
    field('createdAt', 'Created', 'moment', 8, 't.created_at'),
    field('kind', 'Event', 'text', 9, 'e.kind'),
    field('sequence', 'Sequence', 'id', 0, 'e.sequence'),
    field('channel', 'Channel', 'text', 7, 'e.channel'),
    field('target', 'Target', 'text', 9, 't.target'),
    field('state', 'State', 'state', 9, 't.state'),
    field('attempts', 'Attempts', 'count', 5, 't.attempts'),
    field('attemptedAt', 'Attempted', 'moment', 3, 't.attempted_at'),
    field('nextAt', 'Next attempt', 'moment', 4, 't.next_at'),
    field('settledAt', 'Settled', 'moment', 0, 't.settled_at'),
    field('status', 'Status', 'id', 4, 't.status'),
    field('error', 'Error', 'text', 8, 't.error'),
  ],
  filters: [
    choiceFilter('state', 'State', DELIVERY_STATES, 'Only those in this state; `dead` ones were given up.'),
    choiceFilter('target', 'Target', targetsOf, 'Only those for this target.'),
  ],
  query: {
    table: 'deliveries',
    key: ['id'],
    joins: ({ joinOne }) => joinOne('events', 'e', 'e.id = t.event_id'),
    order: [{ expression: 't.id', descending: true }],
  },
})
