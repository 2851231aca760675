import { numberAxis } from './axis.js'
import type { ColumnChart } from './chart.js'
import {
  BOTTOM,
  bottomFor,
  type Drawing,
  element,
  grid,
  hint,
  key,
  label,
  marksBelow,
  plotFor,
  RIGHT_MARGIN,
  scale,
  TOP,
  textIn,
  titleBelow,
  WIDTH,
} from './chart-kit.js'
import { TEXT_HEIGHT, textWidth } from './chart-labels.js'
import { formatNumber } from './number-format-code.js'

/** Fills of columns that stand for no award. */
const NEUTRALS = 4

/** Stacked columns from zero. */
export function columnDrawing({
  categories: names,
  categoryTitle,
  valueTitle,
  series,
  format,
  legend: isExplained = true,
}: ColumnChart): Drawing {
  const figureOf = (one: ColumnChart['series'][number], at: number) => one.values[at] ?? 0
  const sums = (sign: 1 | -1) =>
    names.map((_, at) => series.reduce((sum, one) => sum + Math.max(0, sign * figureOf(one, at)) * sign, 0))
  const axis = numberAxis([...sums(1), ...sums(-1)], { fromZero: true })
  const plot = plotFor(axis, WIDTH - RIGHT_MARGIN)
  const y = scale(axis, BOTTOM, TOP)
  const slot = (plot.right - plot.left) / Math.max(1, names.length)
  const width = Math.min(slot, 90) * 0.7
  const centre = (at: number) => plot.left + (at + 0.5) * slot
  let neutrals = 0
  const fills = series.map(({ awarded = false }) => (awarded ? 'fill award' : `fill n${neutrals++ % NEUTRALS}`))
  const boxes = names.flatMap((name, at) => {
    const ends = { up: 0, down: 0 }
    return series.map((one, index) => {
      const value = figureOf(one, at)
      const side = value < 0 ? 'down' : 'up'
      const from = ends[side]
      ends[side] += value
      const box = {
        x: centre(at) - width / 2,
        y: Math.min(y(from), y(from + value)),
        width,
        height: Math.abs(y(from) - y(from + value)),
      }
      if (box.height === 0) return ''
      const words = `${name}, ${one.name}: ${formatNumber(value, format)}`
      const mark = one.mark ?? ''
      const fits = mark !== '' && box.height > TEXT_HEIGHT && textWidth(mark) < width
      const inside = { ...box, y: box.y + (box.height - TEXT_HEIGHT) / 2 }
      const rectangle = element('rect', { ...box, class: fills[index] ?? '' }, hint(words))
      return fits ? rectangle + textIn(mark, inside, one.awarded ? 'on-award' : 'on-fill') : rectangle
    })
  })
  // The total of each stack, if all of them have room.
  const totals = sums(1).map((total, at) => ({ total, text: formatNumber(total, format), x: centre(at) }))
  const isLabelled = totals.every(({ text }) => textWidth(text) <= slot)
  const above = isLabelled
    ? totals.flatMap(({ total, text, x }) => {
        const half = textWidth(text) / 2
        const box = { x: x - half, y: y(total) - TEXT_HEIGHT - 2, width: 2 * half, height: TEXT_HEIGHT }
        return total === 0 ? [] : [textIn(text, box, 'value')]
      })
    : []
  const marks = names.map((name, at) => ({ x: centre(at), text: label(name) }))
  const legend = series.map(({ name }, index) => ({
    key: key(element('rect', { x: 1, y: 0.5, width: 11, height: 11, class: fills[index] ?? '' })),
    name,
  }))
  return {
    unit: valueTitle,
    parts: [...grid(axis, y, plot), ...boxes, ...above, ...marksBelow(marks), ...titleBelow(categoryTitle, plot)],
    bottom: bottomFor(categoryTitle),
    legend: isExplained && series.length > 1 ? legend : [],
    note: null,
  }
}
