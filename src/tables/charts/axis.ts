/** An axis from `min` to `max`, with its marks. */
export interface Axis {
  min: number
  max: number
  /** Between two marks; 0 on an axis of time, whose months differ. */
  step: number
  ticks: readonly number[]
  /** The text beside a mark; unique on the axis. */
  format: (tick: number) => string
}

const STEPS = 5
/** Share of the range that is left free at both ends. */
const MARGIN = 0.08
/** Ranges below this share of their values are within the noise of binary fractions: drawn as one value. */
const NOISE = 1e-9
/** Differences that no figure of an offer has. */
const TINY = 1e-12

/** A step of 1, 2 or 5 times a power of ten, at least as large. @param step above 0 */
export function roundStep(step: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(step))
  return ([1, 2, 5].find((factor) => factor * magnitude >= step * (1 - 1e-9)) ?? 10) * magnitude
}

/**
 * An axis with round marks around all values.
 * @param values finite numbers
 */
export function numberAxis(values: readonly number[]): Axis {
  const low = values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY)
  if (low > high) return axisOf(0, 5, 0.2)
  const size = Math.max(Math.abs(low), Math.abs(high))
  const isOne = high - low <= Math.max(size * NOISE, TINY)
  const room = isOne ? Math.max(size * 0.1, size > TINY ? 0 : 1) : (high - low) * MARGIN
  const step = roundStep((high - low + 2 * room) / STEPS)
  const min = Math.floor((low - room) / step)
  return axisOf(low >= 0 ? Math.max(0, min) : min, Math.ceil((high + room) / step), step)
}

/** @param first the number of steps from zero to the first mark */
function axisOf(first: number, last: number, step: number): Axis {
  // Exact: 3 × 0.1 is not 0.3, but 3 ÷ 10 is.
  const at = (index: number) => (step < 1 ? index / Math.round(1 / step) : index * step) || 0
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => at(first + index))
  const [min, max] = [at(first), at(last)]
  return { min, max, step, ticks, format: formatOf(Math.max(Math.abs(min), Math.abs(max)), step) }
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const

/** As many digits as the marks need to differ; millions, billions and powers of ten where the figures would be too long. */
function formatOf(size: number, step: number): (tick: number) => string {
  const decimalsOf = (value: number) => Math.max(0, -Math.floor(Math.log10(value) + 1e-9))
  const write = (digits: number) => {
    const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    return (value: number) => format.format(value).replace('-', '−')
  }
  if (size >= 1e15 || size < 1e-4) {
    const digits = Math.min(15, Math.max(0, Math.ceil(Math.log10(size / step))))
    return (tick) => (tick === 0 ? '0' : tick.toExponential(digits).replaceAll('-', '−').replace('+', ''))
  }
  const [unit, letter] = UNITS.find(([one]) => size >= 10 * one && step >= one / 1000) ?? [1, '']
  const format = write(decimalsOf(step / unit))
  return (tick) => format(tick / unit) + (tick === 0 ? '' : letter)
}

// --- time ------------------------------------------------------------------------------------------------------------

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** 1970 began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY = 4 * DAY
const FIXED_STEPS = [1, 5, 15, 30]
  .map((minutes) => minutes * MINUTE)
  .concat([1, 3, 6, 12].map((hours) => hours * HOUR))
  .concat([1, 2, 7, 14].map((days) => days * DAY))
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** An axis of moments in UTC, in milliseconds, with marks at full minutes, hours, days, Mondays or months. */
export function timeAxis(moments: readonly number[]): Axis {
  const max = moments.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const first = moments.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const min = Math.min(first, max - HOUR)
  const fixed = FIXED_STEPS.find((step) => (max - min) / step <= STEPS)
  const ticks = fixed === undefined ? monthTicks(min, max) : fixedTicks(min, max, fixed)
  return { min, max, step: 0, ticks, format: timeFormat(fixed) }
}

function fixedTicks(min: number, max: number, step: number): number[] {
  const origin = step >= 7 * DAY ? FIRST_MONDAY : 0
  const from = Math.ceil((min - origin) / step) * step + origin
  return Array.from({ length: Math.max(0, Math.floor((max - from) / step) + 1) }, (_, index) => from + index * step)
}

function monthTicks(min: number, max: number): number[] {
  const monthOf = (time: number) => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth()
  const months = monthOf(max) - monthOf(min)
  const step = MONTH_STEPS.find((one) => months / one <= STEPS) ?? 1200
  const from = Math.ceil(monthOf(min) / step) * step
  const count = Math.max(0, Math.floor((monthOf(max) - from) / step) + 1)
  return Array.from({ length: count }, (_, index) => {
    const month = from + index * step
    return Date.UTC(Math.floor(month / 12), month % 12)
  }).filter((time) => time >= min)
}

function timeFormat(step: number | undefined): (tick: number) => string {
  return (tick) => {
    const [date, time] = [new Date(tick), new Date(tick).toISOString().slice(11, 16)]
    if (step === undefined) return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
    if (step < DAY && time !== '00:00') return time
    return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
  }
}
