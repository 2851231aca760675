import { Cron as Croner } from 'croner'

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
 * Compiles a cron expression of five fields, of six with seconds first, or such as `@daily`. Day of month and day of week
 * must both match. On days when clocks change:
 * - A tick at a fixed time happens once: at the end of the skipped hour, and the first time in the repeated one.
 * - A tick with `*` or a step in its minutes or hours follows elapsed time.
 * @param zone IANA time zone
 * @throws {Error} what is wrong with the expression
 */
export function compileCron(expression: string, zone: string): Cron {
  const text = expression.trim()
  const fields = text.split(/\s+/).length
  // croner also reads a date, and years in a seventh field.
  if (fields !== 5 && fields !== 6 && !/^@[a-z]+$/i.test(text)) throw new Error('it has not five or six fields')
  const croner = compile(text, zone)
  if (croner.nextRun() === null) throw new Error('no month has such a day')
  return {
    stepMs: fields === 6 ? SECOND : 60 * SECOND,
    lastTick({ after, upTo }) {
      const nextSecond = (Math.floor(upTo.getTime() / SECOND) + 1) * SECOND
      const tick = croner.previousRuns(1, new Date(nextSecond))[0]
      return tick !== undefined && tick > after ? tick : null
    },
    nextTick: (after) => croner.nextRun(after),
  }
}

function compile(text: string, timezone: string): Croner {
  try {
    return new Croner(text, { timezone, domAndDow: true, fixedTimeRule: 'no-wildcard' })
  } catch (error) {
    throw new Error((error as Error).message.replace(/^CronPattern: /, ''), { cause: error })
  }
}
