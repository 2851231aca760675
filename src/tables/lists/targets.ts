import type { TargetState } from '../../core/events/deliveries.js'
import { type List, wholePage } from '../list.js'

/** The targets that notifications are sent to. */
export const targets: List<TargetState> = {
  name: 'targets',
  title: 'Targets',
  about: 'The targets of notifications, with what waits for them and what was given up.',
  empty: 'The service was started without targets: see `notify` in the configuration.',
  columns: [
    { key: 'target', header: 'Target', kind: 'text', weight: 9, value: ({ target }) => target },
    {
      key: 'state',
      header: 'State',
      kind: 'state',
      weight: 9,
      value: ({ failures }) => (failures === 0 ? 'works' : 'fails'),
    },
    { key: 'pending', header: 'Waiting', kind: 'count', weight: 8, value: ({ pending }) => pending },
    { key: 'dead', header: 'Given up', kind: 'count', weight: 8, value: ({ dead }) => dead },
    { key: 'succeededAt', header: 'Last success', kind: 'moment', weight: 6, value: ({ succeededAt }) => succeededAt },
    { key: 'retryAt', header: 'Next attempt', kind: 'moment', weight: 5, value: ({ retryAt }) => retryAt },
    { key: 'failures', header: 'Failures', kind: 'count', weight: 4, value: ({ failures }) => failures },
    { key: 'error', header: 'Error', kind: 'text', weight: 7, value: ({ error }) => error },
    { key: 'since', header: 'Since', kind: 'moment', weight: 2, value: ({ since }) => since },
  ],
  filters: [],
  async read({ store }) {
    return wholePage(await store.targetStates())
  },
}
