import type { OfferReport } from '../offer/offer-report-model.js'
import type { DeliveryLine } from '../offer/offer-terms.js'

/** From a month, counted from year 0, to before another one; the last period has no end. */
export interface Period {
  name: string
  from: number
  to: number
}

/** Tonnes of delivery lines in periods of equal length, in rows of offers. */
export interface VolumeTimeline {
  periods: Period[]
  /** By row and period. */
  tonnes: number[][]
}

/** How lines are placed in time. */
export interface TimelineRule {
  monthOf: (line: DeliveryLine) => number | null
  /** Lengths of a period in months; the shortest is used that gives at most MAX_PERIODS. */
  steps: readonly number[]
}

const MAX_PERIODS = 9

/** A month of a date `YYYY-MM-DD`, counted from year 0, and the first day of such a month. */
export const monthOfDay = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
export const firstDayOf = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`

/**
 * The tonnes of all offers over time.
 * @param named the offers with a row of their own, in order; all others share the last row
 */
export function volumeTimeline(
  offers: readonly OfferReport[],
  named: readonly OfferReport[],
  { monthOf, steps }: TimelineRule,
): VolumeTimeline {
  const rowOf = new Map(named.map(({ id }, index) => [id, index]))
  const dated = offers.flatMap(({ id, lines }) =>
    lines.flatMap((line) => {
      const [month, tonnes] = [monthOf(line), line.volume ?? 0]
      return month === null || tonnes <= 0 ? [] : [{ row: rowOf.get(id) ?? named.length, month, tonnes }]
    }),
  )
  const months = dated.map(({ month }) => month).sort((a, b) => a - b)
  const periods = periodsOf(months, steps)
  const rows = Array.from({ length: named.length + (offers.length > named.length ? 1 : 0) }, () => periods.map(() => 0))
  for (const { row, month, tonnes } of dated) {
    const sums = rows[row]
    const at = periods.findIndex(({ from, to }) => month >= from && month < to)
    if (sums !== undefined) sums[at] = (sums[at] ?? 0) + tonnes
  }
  return { periods, tonnes: rows }
}

/** The periods between the first and the last month. */
function periodsOf(months: readonly number[], steps: readonly number[]): Period[] {
  const [first, last] = [months[0], months.at(-1)]
  if (first === undefined || last === undefined) return []
  const countOf = (step: number) => Math.floor(last / step) - Math.floor(first / step) + 1
  const step = steps.find((each) => countOf(each) <= MAX_PERIODS) ?? steps.at(-1) ?? 12
  const count = Math.min(MAX_PERIODS, countOf(step))
  return Array.from({ length: count }, (_, index) => {
    const from = (Math.floor(first / step) + index) * step
    if (index < count - 1) return { name: periodName(from, step), from, to: from + step }
    const later = last >= from + step ? ' and later' : ''
    return { name: periodName(from, step) + later, from, to: Number.POSITIVE_INFINITY }
  })
}

function periodName(month: number, step: number): string {
  const year = Math.floor(month / 12)
  if (step > 12) return `${year}–${year + step / 12 - 1}`
  if (step === 12) return String(year)
  return `${year} ${step === 6 ? 'H' : 'Q'}${Math.floor((month % 12) / step) + 1}`
}
