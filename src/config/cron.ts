import { createTask, parse } from 'node-cron'

/** A cron expression in a time zone. */
export interface Cron {
  /** The resolution: a minute, or a second if the expression has six fields. */
  readonly stepMs: number
  /**
   * The newest tick in a span; several missed ticks thus become one.
   * @param span.after exclusive
   * @param span.upTo inclusive
   */
  lastTick(span: { after: Date; upTo: Date }): Date | null
}

/** The first tick after a moment; null if there is none within a year. */
export function nextTick(cron: Cron, after: Date): Date | null {
  const hasTick = (milliseconds: number) =>
    cron.lastTick({ after, upTo: new Date(after.getTime() + milliseconds) }) !== null
  let long = cron.stepMs
  while (!hasTick(long)) {
    if (long > YEAR) return null
    long *= 2
  }
  let short = long === cron.stepMs ? 0 : long / 2
  while (long - short > cron.stepMs) {
    const middle = short + Math.ceil((long - short) / 2)
    if (hasTick(middle)) long = middle
    else short = middle
  }
  return cron.lastTick({ after, upTo: new Date(after.getTime() + long) })
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 366 * DAY
/** No time zone sets its clocks back by more than this. */
const MAX_SHIFT = 3 * HOUR

/**
 * Compiles a cron expression. node-cron parses the fields, names, lists, steps and `L`, `W`, `#`; day of month and day of
 * week must both match. Days on which clocks change are handled here, because the timer of node-cron 4.6 drops ticks in
 * a skipped hour, and all ticks in a repeated hour:
 * - A tick whose time is skipped happens at the end of the gap.
 * - A tick at a fixed time (neither minute nor hour starts with `*`) happens once, the first time that hour occurs.
 * - A tick every few minutes, or every hour, follows elapsed time.
 * @param expression a valid cron expression
 * @param zone IANA time zone
 */
export function compileCron(expression: string, zone: string): Cron {
  const fields = parse(expression)
  const fieldTexts = expression.trim().split(/\s+/)
  const stepMs = fieldTexts.length === 6 ? 1_000 : MINUTE
  const matcher = createTask(expression, () => undefined, { timezone: 'UTC' })
  matcher.destroy() // Used only for matching.
  const toWallTime = wallClock(zone)
  const everyHour = fields.hour.length === 24
  const repeats = everyHour || (fieldTexts.length > 1 && fieldTexts.at(-5)?.startsWith('*') === true)

  // Cheap, unlike the matcher, which is therefore asked about few moments.
  const timeMatches = (wall: number) =>
    fields.hour.includes(Math.floor((wall % DAY) / HOUR)) &&
    fields.minute.includes(Math.floor((wall % HOUR) / MINUTE)) &&
    (stepMs === MINUTE || fields.second.includes(Math.floor((wall % MINUTE) / 1_000)))
  const matches = (wall: number) => timeMatches(wall) && matcher.match(new Date(wall))
  const dayMatches = (wall: number) => {
    const midnight = wall - (wall % DAY)
    const [hour = 0, minute = 0, second = 0] = [fields.hour[0], fields.minute[0], fields.second[0]]
    return matches(midnight + hour * HOUR + minute * MINUTE + second * 1_000)
  }

  const isRepeat = (at: number, wall: number) => {
    const setBack = toWallTime(at - MAX_SHIFT) + MAX_SHIFT - wall
    return setBack > 0 && toWallTime(at - setBack) === wall
  }
  const skipsTickBefore = (at: number, wall: number) => {
    for (let skipped = toWallTime(at - stepMs) + stepMs; skipped < wall; skipped += stepMs) {
      if (matches(skipped)) return true
    }
    return false
  }
  const isDue = (at: number) => {
    const wall = toWallTime(at)
    if (matches(wall)) return repeats || !isRepeat(at, wall)
    return !everyHour && skipsTickBefore(at, wall)
  }

  const periods: [number, (wall: number) => boolean][] = [
    [DAY, dayMatches],
    [HOUR, (wall) => fields.hour.includes(Math.floor((wall % DAY) / HOUR))],
    [MINUTE, (wall) => fields.minute.includes(Math.floor((wall % HOUR) / MINUTE))],
  ]
  /** How far to step back when nothing is due: past the start of this day, hour or minute unless clocks changed. */
  const stepBack = (at: number) => {
    const wall = toWallTime(at)
    for (const [period, hasTicks] of periods) {
      const back = (wall % period) + stepMs
      if (!hasTicks(wall) && wall - toWallTime(at - back) === back) return back
    }
    return stepMs
  }

  return {
    stepMs,
    lastTick({ after, upTo }) {
      const newest = Math.floor(upTo.getTime() / stepMs) * stepMs
      for (let at = newest; at > after.getTime(); at -= stepBack(at)) {
        if (isDue(at)) return new Date(at)
      }
      return null
    },
  }
}

/** Makes a function that converts an instant to the local date and time of a zone, expressed as if it were UTC (ms). */
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
