import type { z } from 'zod'
import type { configSchema } from './schema.js'

/** The validated configuration, with all defaults filled in and all paths absolute (docs/CONFIGURATION.md). */
export type Config = z.output<ReturnType<typeof configSchema>> & {
  /** Absolute path of the configuration file. */
  file: string
}
export type ChannelConfig = Config['channels'][number]
export type JobSchedule = keyof Config['schedule']
