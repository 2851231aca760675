import { createTask, parse } from 'node-cron'

/** A schedule in a time zone, asked when it last fell due. */
export interface Cron {
  /** How far apart two moments are that can differ: a minute, or a second where the expression has six fields. */
  readonly stepMs: number
  /**
   * The newest tick in a span, so that ticks missed in it make one.
   * @param span.after exclusive
   * @param span.upTo inclusive
   */
  lastTick(span: { after: Date; upTo: Date }): Date | null
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A clock is set back by at most this much anywhere. */
const LONGEST_SHIFT = 3 * HOUR

/**
 * Compiles a schedule. Fields, names, lists, steps and `L`, `W`, `#` are node-cron's; day of month and day of week must
 * both match. What node-cron 4.6 does not do on the days when clocks change is done here: its own timer leaves out a
 * tick in the hour that is skipped, and leaves out everything, even every five minutes, in the hour that comes twice.
 * - A tick whose time is skipped comes as soon as the gap is over.
 * - A tick at a fixed time (no `*` opens its minute or hour) comes once, in the first of two equal hours.
 * - A tick every so many minutes, or every hour, goes by real time.
 * @param expression a valid cron expression
 * @param zone IANA time zone
 */
export function compileCron(expression: string, zone: string): Cron {
  const fields = parse(expression)
  const written = expression.trim().split(/\s+/)
  const stepMs = written.length === 6 ? 1_000 : MINUTE
  const matcher = createTask(expression, () => undefined, { timezone: 'UTC' })
  matcher.destroy() // It only matches; it never runs.
  const wallTime = wallClock(zone)
  const everyHour = fields.hour.length === 24
  const repeats = everyHour || (written.length > 1 && written.at(-5)?.startsWith('*') === true)

  const matches = (wall: number) => matcher.match(new Date(wall))
  const dayMatches = (wall: number) => {
    const midnight = wall - (wall % DAY)
    const [hour = 0, minute = 0, second = 0] = [fields.hour[0], fields.minute[0], fields.second[0]]
    return matches(midnight + hour * HOUR + minute * MINUTE + second * 1_000)
  }

  const comesAgain = (at: number, wall: number) => {
    const setBack = wallTime(at - LONGEST_SHIFT) + LONGEST_SHIFT - wall
    return setBack > 0 && wallTime(at - setBack) === wall
  }
  const skippedBefore = (at: number, wall: number) => {
    for (let skipped = wallTime(at - stepMs) + stepMs; skipped < wall; skipped += stepMs) {
      if (matches(skipped)) return true
    }
    return false
  }
  const due = (at: number) => {
    const wall = wallTime(at)
    if (matches(wall)) return repeats || !comesAgain(at, wall)
    return !everyHour && skippedBefore(at, wall)
  }

  const spans: [number, (wall: number) => boolean][] = [
    [DAY, dayMatches],
    [HOUR, (wall) => fields.hour.includes(Math.floor((wall % DAY) / HOUR))],
    [MINUTE, (wall) => fields.minute.includes(Math.floor((wall % HOUR) / MINUTE))],
  ]
  /** How far back nothing can be due: to where this day, hour or minute began, unless clocks changed in between. */
  const idle = (at: number) => {
    const wall = wallTime(at)
    for (const [span, busy] of spans) {
      const back = (wall % span) + stepMs
      if (!busy(wall) && wall - wallTime(at - back) === back) return back
    }
    return stepMs
  }

  return {
    stepMs,
    lastTick({ after, upTo }) {
      const newest = Math.floor(upTo.getTime() / stepMs) * stepMs
      for (let at = newest; at > after.getTime(); at -= idle(at)) {
        if (due(at)) return new Date(at)
      }
      return null
    },
  }
}

/** Reads the clock on the wall of a zone: its date and time as if they were UTC, in milliseconds. */
function wallClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}
