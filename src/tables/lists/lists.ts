import type { List } from '../list.js'
import { awards } from './awards.js'
import { changes } from './changes.js'
import { channels } from './channels.js'
import { closings } from './closings.js'
import { listings } from './listings.js'
import { problems } from './problems.js'
import { reports } from './reports.js'
import { rfqs } from './rfqs.js'
import { runs } from './runs.js'
import { targets } from './targets.js'

/** Every list, by its name. Surfaces register them. */
export const LISTS = {
  ...{ rfqs, awards, changes, closings, listings, reports, channels, runs, problems, targets },
  // biome-ignore lint/suspicious/noExplicitAny: lists have rows of different types
} satisfies Record<string, List<any>>

export type ListName = keyof typeof LISTS

/** @returns the list, whose rows are of the type that its columns take */
export const listNamed = (name: ListName): List<unknown> => LISTS[name] as unknown as List<unknown>
