import { formatAmount } from '../../core/text/number-format.js'

/** An axis from `min` to `max`, with its marks. */
export interface Axis {
  min: number
  max: number
  ticks: readonly number[]
  /** The text beside a mark. */
  format: (tick: number) => string
}

const STEPS = 5
/** Share of the range that is left free at both ends. */
const MARGIN = 0.08
/** Ranges below this, and below this share of their values, are drawn as one value: no figure of an offer is so exact. */
const NOISE = 1e-9
/** Marks have two decimals. */
const MIN_STEP = 0.01

const rangeOf = (values: readonly number[]): [low: number, high: number] =>
  values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]

/** An axis with round marks around all values. @param values finite numbers */
export function numberAxis(values: readonly number[]): Axis {
  const [low, high] = rangeOf(values)
  const size = Math.max(Math.abs(low), Math.abs(high))
  const isOne = high - low <= NOISE * Math.max(size, 1)
  const margin = isOne ? (size > NOISE ? size * 0.1 : 1) : (high - low) * MARGIN
  const step = roundStep((high - low + 2 * margin) / STEPS)
  const first = Math.floor((low - margin) / step)
  const from = low >= 0 ? Math.max(0, first) : first
  const to = Math.ceil((high + margin) / step)
  // 3 × 0.1 is not 0.3 in binary.
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => Number(((from + at) * step).toPrecision(12)))
  return { min: ticks[0] ?? 0, max: ticks.at(-1) ?? 1, ticks, format: formatAmount }
}

/** A step of 1, 2 or 5 times a power of ten, at least as large. */
function roundStep(step: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(step))
  const round = [1, 2, 5, 10].find((factor) => factor * magnitude >= step * (1 - NOISE)) ?? 10
  return Math.max(MIN_STEP, round * magnitude)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY
const TIME_STEPS = [
  HOUR / 4,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY),
]

/** An axis of moments in UTC, in milliseconds, with marks at full hours, days or Mondays. */
export function timeAxis(moments: readonly number[]): Axis {
  const [first, max] = rangeOf(moments)
  const min = Math.min(first, max - HOUR)
  const step = TIME_STEPS.find((each) => (max - min) / each <= STEPS) ?? 3640 * DAY
  const origin = step >= 7 * DAY ? FIRST_MONDAY : 0
  const from = Math.ceil((min - origin) / step) * step + origin
  const ticks = Array.from({ length: Math.floor((max - from) / step) + 1 }, (_, at) => from + at * step)
  return { min, max, ticks, format: timeFormat(step) }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `18:00`, `3 Dec` or `Dec 2026`. */
const timeFormat = (step: number) => (tick: number) => {
  if (step > 28 * DAY) return monthFormat.format(tick)
  return step < DAY && tick % DAY !== 0 ? new Date(tick).toISOString().slice(11, 16) : dayFormat.format(tick)
}
