import type { Settings } from '../../src/core/decision/settings.js'
import type { Today } from '../../src/tables/today/today.js'

/** The lists of the sheets, in order. */
export const OVERVIEW_LISTS = ['rfqs', 'awards', 'changes', 'closings', 'listings', 'channels', 'problems'] as const

/** Of changes: those of a week, at most so many, because a first poll has one for each offer. */
export const CHANGES = { since: '7 days ago', limit: 1_000 }

/** What the overview of a channel, or of all channels, is written from. */
export interface Overview {
  /** Null: of all. */
  channel: string | null
  now: Date
  version: string
  madeBy: string | null
  settings: Settings
  today: Today
  /** The rows of each list. */
  rows: Readonly<Record<(typeof OVERVIEW_LISTS)[number], readonly unknown[]>>
}

export const nameOf = ({ channel }: Pick<Overview, 'channel'>): string =>
  channel === null ? 'All channels' : `Channel ${channel}`
