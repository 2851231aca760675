import { InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../../core/text/suggest.js'
import { createZonedTime, type ZonedTime } from '../../core/time/zoned-time.js'
import type { Cli } from '../cli-context.js'

export const timeZoneOption = () =>
  new Option(
    '--time-zone <zone>',
    'time zone of all times, in options and in tables: such as Europe/Paris, or local (default: UTC)',
  ).argParser(parseTimeZone)

function parseTimeZone(text: string): string {
  if (text.toLowerCase() === 'local') return new Intl.DateTimeFormat().resolvedOptions().timeZone
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // An offset such as +02:00 has no summer time, so it is hardly ever what is meant.
    if (/^[A-Za-z]/.test(timeZone)) return timeZone
  } catch {
    // Not a time zone.
  }
  const suggestion = didYouMean(text, Intl.supportedValuesOf('timeZone'), 'Did you mean')
  throw new InvalidArgumentError(`${suggestion}Expected an IANA time zone, such as Europe/Paris, or local.`)
}

/** The time zone of what a command shows, and of times in its options. */
export const zoneOf = ({ globals }: Pick<Cli, 'globals'>): ZonedTime => createZonedTime(globals.timeZone ?? 'UTC')

/** Formats timestamps in one time zone. */
export interface TimeFormat {
  /** The time zone, for column headers. */
  label: string
  /** `2026-01-31 12:00`; empty for null. */
  minute(timestamp: string | null | undefined): string
  /** `2026-01-31 12:00:05`; empty for null. */
  second(timestamp: string | null | undefined): string
}

export function timeFormatOf(cli: Pick<Cli, 'globals'>): TimeFormat {
  const zone = zoneOf(cli)
  return {
    label: zone.timeZone,
    minute: (timestamp) => (timestamp ? zone.minute(new Date(timestamp)) : ''),
    second: (timestamp) => (timestamp ? zone.second(new Date(timestamp)) : ''),
  }
}
