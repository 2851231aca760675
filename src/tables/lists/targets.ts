import type { TargetState } from '../../core/events/events.js'
import { column } from '../column.js'
import { type List, wholePage } from '../list.js'

/** The targets that notifications are sent to. */
export const targets: List<TargetState> = {
  name: 'targets',
  title: 'Targets',
  about: 'The targets of notifications, each with its position in the feed of events.',
  empty: 'The service was started without targets: see `notify` in the configuration.',
  columns: [
    column('target', 'Target', 'text', 9, ({ target }) => target),
    column('state', 'State', 'state', 9, ({ failures }) => (failures === 0 ? 'works' : 'fails')),
    column('position', 'Position', 'id', 7, ({ position }) => position),
    column('waiting', 'Waiting', 'count', 8, ({ waiting }) => waiting),
    column('passedOver', 'Passed over', 'count', 8, ({ passedOver }) => passedOver?.events ?? 0),
    column('passedOverFrom', 'From', 'id', 6, ({ passedOver }) => passedOver?.from ?? null),
    column('passedOverAt', 'At', 'moment', 4, ({ passedOver }) => passedOver?.at ?? null),
    column('succeededAt', 'Last success', 'moment', 6, ({ succeededAt }) => succeededAt),
    column('retryAt', 'Next attempt', 'moment', 5, ({ retryAt }) => retryAt),
    column('failures', 'Failures', 'count', 4, ({ failures }) => failures),
    column('error', 'Error', 'text', 7, ({ error, passedOver }) => error ?? passedOver?.error ?? null),
  ],
  filters: [],
  async read({ store }) {
    return wholePage(await store.targetStates())
  },
}
