import { Cron as Croner } from 'croner'
import { validateDetailed } from 'node-cron'

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
  /** The first tick after a moment; null if there is none. */
  nextTick(after: Date): Date | null
}

const SECOND = 1_000

/**
 * Compiles a cron expression of five fields, of six with seconds first, or such as `@daily`. node-cron checks it; croner computes the
 * ticks, because the timer of node-cron 4.6 drops those in an hour that clocks skip, and all in an hour that they repeat. Day of month and
 * day of week must both match. On days when clocks change:
 * - A tick at a fixed time happens once: at the end of the skipped hour, and the first time in the repeated one.
 * - A tick with `*` or a step in its minutes or hours follows elapsed time.
 * @param zone IANA time zone
 * @throws {Error} what is wrong with the expression
 */
export function compileCron(expression: string, zone: string): Cron {
  const text = expression.trim()
  const { valid, errors } = validateDetailed(text)
  if (!valid) throw new Error(errors.map(({ message }) => message).join('; '))
  const croner = new Croner(text, { timezone: zone, domAndDow: true, fixedTimeRule: 'no-wildcard' })
  return {
    stepMs: text.split(/\s+/).length === 6 ? SECOND : 60 * SECOND,
    lastTick({ after, upTo }) {
      const nextSecond = (Math.floor(upTo.getTime() / SECOND) + 1) * SECOND
      const tick = croner.previousRuns(1, new Date(nextSecond))[0]
      return tick !== undefined && tick > after ? tick : null
    },
    nextTick: (after) => croner.nextRun(after),
  }
}
