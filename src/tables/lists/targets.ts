import type { TargetState } from '../../core/events/deliveries.js'
import { column } from '../column.js'
import { type List, wholePage } from '../list.js'

/** The targets that notifications are sent to. */
export const targets: List<TargetState> = {
  name: 'targets',
  title: 'Targets',
  about: 'The targets of notifications, with what waits for them and what was given up.',
  empty: 'The service was started without targets: see `notify` in the configuration.',
  columns: [
    column('target', 'Target', 'text', 9, ({ target }) => target),
    column('state', 'State', 'state', 9, ({ failures }) => (failures === 0 ? 'works' : 'fails')),
    column('pending', 'Waiting', 'count', 8, ({ pending }) => pending),
    column('dead', 'Given up', 'count', 8, ({ dead }) => dead),
    column('succeededAt', 'Last success', 'moment', 6, ({ succeededAt }) => succeededAt),
    column('retryAt', 'Next attempt', 'moment', 5, ({ retryAt }) => retryAt),
    column('failures', 'Failures', 'count', 4, ({ failures }) => failures),
    column('error', 'Error', 'text', 7, ({ error }) => error),
    column('since', 'Since', 'moment', 2, ({ since }) => since),
  ],
  filters: [],
  async read({ store }) {
    return wholePage(await store.targetStates())
  },
}
