import { cellText } from '../layout/cell-text.js'
import {
  type BubbleChart,
  CHART_COLOURS,
  type Chart,
  type ChartSeries,
  type ColumnChart,
  HIGHLIGHT_COLOUR,
} from '../layout/chart.js'
import { cleanText, truncate } from '../layout/clean-text.js'
import { escapeHtml } from './escape-html.js'

const WIDTH = 640
const PLOT = { left: 62, top: 34, right: 630, bottom: 252 }
const LEGEND = { top: PLOT.bottom + 40, line: 17, characters: 30 }
const TICKS = 5
const LABEL_CHARACTERS = 12

/** Renders a chart as SVG, from the same figures as the native chart in the workbook. */
export function chartSvg(chart: Chart): string {
  const { parts, bottom } =
    'bubbles' in chart ? bubbleParts(chart) : chart.horizontal ? barParts(chart) : columnParts(chart)
  return (
    `<svg viewBox="0 0 ${WIDTH} ${bottom}" role="img" aria-label="${escapeHtml(chart.alt)}">` +
    `<text x="${WIDTH / 2}" y="18" text-anchor="middle" class="chart-title">${escapeHtml(chart.title)}</text>${parts}</svg>`
  )
}

/** What is drawn below the title, and the height of the whole. */
interface Drawing {
  parts: string
  bottom: number
}

function columnParts(chart: ColumnChart): Drawing {
  const columns = chart.series.filter((series) => !series.line)
  const top = chartMaximum(chart, columns)
  const parts = [
    gridSvg(top),
    columnsSvg(chart, columns, top),
    linesSvg(chart, top),
    valuesSvg(chart, columns, top),
    labelsSvg(chart),
  ]
  const legend = legendSvg(chart)
  return { parts: parts.join('') + legend.svg, bottom: legend.bottom + 12 }
}

/** Height of a horizontal bar with its gap, and the width of its label. */
const BAR = { slot: 22, label: 216 }

/** Bars to both sides of 0, all series of a category in one line. */
function barParts(chart: ColumnChart): Drawing {
  const { categories, series, valueTitle } = chart
  const widest = series.flatMap(({ values }) => values.cached.map((value) => Math.abs(value ?? 0)))
  const middle = (BAR.label + PLOT.right) / 2
  const scale = ((PLOT.right - BAR.label) / 2 - 36) / Math.max(...widest, Number.MIN_VALUE)
  const bars = categories.cached.flatMap((category, at) => {
    const y = PLOT.top + at * BAR.slot
    const label = `<text x="${BAR.label}" y="${y + 15}" text-anchor="end">${escapeHtml(truncate(cleanText(category), 40))}</text>`
    const ofSeries = series.map(({ name, values }, index) => {
      const value = values.cached[at] ?? 0
      const [x, width] = [middle + Math.min(0, value * scale), Math.abs(value * scale)]
      const box = columnSvg(
        { x, y: y + 3, width, height: BAR.slot - 6 },
        index,
        `${category}, ${name.cached[0] ?? ''}: ${number.format(value)}`,
      )
      const words = cellText({ value, style: { numFmt: chart.format } })
      const [end, anchor] = value < 0 ? [x - 4, 'end'] : [x + width + 4, 'start']
      return value === 0
        ? ''
        : `${box}<text x="${end.toFixed(1)}" y="${y + 15}" text-anchor="${anchor}" class="value">${words}</text>`
    })
    return [label, ...ofSeries]
  })
  const bottom = PLOT.top + categories.cached.length * BAR.slot
  const axis = `<line x1="${middle}" x2="${middle}" y1="${PLOT.top}" y2="${bottom}" class="grid"/><text x="${middle}" y="${bottom + 16}" text-anchor="middle">${escapeHtml(valueTitle)}</text>`
  const legend = legendSvg(chart, bottom + 36)
  return { parts: [axis, ...bars, legend.svg].join(''), bottom: legend.bottom + 12 }
}

/** Radius of the largest bubble. */
const MAX_RADIUS = 26

function bubbleParts({ bubbles, xTitle, yTitle }: BubbleChart): Drawing {
  const points = bubbles.flatMap(({ name, x, y, sizes, highlight = false }) =>
    sizes.cached.flatMap((size, at) => {
      const [px, py] = [x.cached[at] ?? null, y.cached[at] ?? null]
      if (px === null || py === null || !(Number(size) > 0)) return []
      return [{ name: name.cached[0] ?? '', x: px, y: py, size: Number(size), highlight }]
    }),
  )
  const largest = points.reduce((max, { size }) => Math.max(max, size), 0)
  const xs = scaleOf(
    points.map(({ x }) => x),
    [PLOT.left + MAX_RADIUS, PLOT.right - 2 * MAX_RADIUS],
  )
  const ys = scaleOf(
    points.map(({ y }) => y),
    [PLOT.bottom - MAX_RADIUS, PLOT.top + MAX_RADIUS],
  )
  const circles = points.map(({ name, x, y, size, highlight }) => {
    const radius = MAX_RADIUS * Math.sqrt(size / largest)
    const words = `${cleanText(name)}: ${xTitle} ${number.format(x)}, ${yTitle} ${number.format(y)}, ${number.format(size)} t`
    return `<circle cx="${xs.at(x).toFixed(1)}" cy="${ys.at(y).toFixed(1)}" r="${radius.toFixed(1)}" fill="#${highlight ? HIGHLIGHT_COLOUR : colour(0)}" stroke="#fff"><title>${escapeHtml(words)}</title></circle>`
  })
  // Above and below in turn, so that neighbours in the ranking do not collide, and on top of all bubbles.
  const labels = points.map(({ name, x, y, size, highlight }, at) => {
    const radius = MAX_RADIUS * Math.sqrt(size / largest)
    const place = ys.at(y) + (at % 2 === 0 ? -radius - 4 : radius + 12)
    return highlight
      ? ''
      : `<text x="${xs.at(x).toFixed(1)}" y="${place.toFixed(1)}" text-anchor="middle" class="value">${escapeHtml(cleanText(name))}</text>`
  })
  const grid = [
    ...ys.ticks.map((tick) => tickSvg(ys.at(tick), null, tick)),
    ...xs.ticks.map((tick) => tickSvg(null, xs.at(tick), tick)),
  ]
  const titles = `<text x="${PLOT.right}" y="${PLOT.bottom + 34}" text-anchor="end">${escapeHtml(xTitle)}</text><text x="4" y="${PLOT.top - 4}">${escapeHtml(yTitle)}</text>`
  return { parts: [...grid, ...circles, ...labels, titles].join(''), bottom: PLOT.bottom + 44 }
}

/** Positions of values between two pixels, and round values to mark. */
function scaleOf(values: readonly number[], [from, to]: readonly [number, number]) {
  const low = values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY)
  const span = high - low || Math.abs(high) || 1
  const step = axisMaximum(span) / TICKS
  const first = Math.ceil(low / step)
  const ticks = Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, at) => (first + at) * step)
  return { at: (value: number) => from + ((value - low) / span) * (to - from), ticks }
}

function tickSvg(y: number | null, x: number | null, value: number): string {
  const words = number.format(value)
  return y !== null
    ? `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" class="grid"/><text x="${PLOT.left - 8}" y="${y.toFixed(1)}" dy="4" text-anchor="end">${words}</text>`
    : `<text x="${(x ?? 0).toFixed(1)}" y="${PLOT.bottom + 16}" text-anchor="middle">${words}</text>`
}

function chartMaximum({ stacked, series }: ColumnChart, columns: readonly ChartSeries[]): number {
  const all = stacked ? totals(columns) : columns.flatMap(({ values }) => values.cached.map((value) => value ?? 0))
  const lines = series.filter(({ line }) => line).flatMap(({ values }) => values.cached.map((value) => value ?? 0))
  return axisMaximum([...all, ...lines].reduce((max, value) => Math.max(max, value), 0))
}

const totals = (columns: readonly ChartSeries[]) =>
  (columns[0]?.values.cached ?? []).map((_, at) => columns.reduce((sum, one) => sum + (one.values.cached[at] ?? 0), 0))

/** The smallest axis maximum that gives five round steps. */
function axisMaximum(max: number): number {
  if (!(max > 0)) return 1
  const step = max / TICKS
  const magnitude = 10 ** Math.floor(Math.log10(step))
  const nice = [1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= step) ?? 10
  return nice * magnitude * TICKS
}

const height = (value: number, top: number) => ((PLOT.bottom - PLOT.top) * Math.max(0, value)) / top
const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

function gridSvg(top: number): string {
  return Array.from({ length: TICKS + 1 }, (_, tick) => {
    const value = (top * tick) / TICKS
    const y = (PLOT.bottom - height(value, top)).toFixed(1)
    return (
      `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}" class="grid"/>` +
      `<text x="${PLOT.left - 8}" y="${y}" dy="4" text-anchor="end">${number.format(value)}</text>`
    )
  }).join('')
}

/** The horizontal space of a category. */
function categorySlot(chart: ColumnChart, at: number): { x: number; width: number } {
  const width = (PLOT.right - PLOT.left) / Math.max(1, chart.categories.cached.length)
  return { x: PLOT.left + at * width, width }
}

function columnsSvg(chart: ColumnChart, columns: readonly ChartSeries[], top: number): string {
  return chart.categories.cached
    .map((category, at) => {
      let below = 0
      return columns
        .map((series, index) => {
          const value = series.values.cached[at] ?? 0
          const slot = categorySlot(chart, at)
          const width = (slot.width * 0.62) / (chart.stacked ? 1 : columns.length)
          const x = slot.x + slot.width * 0.19 + (chart.stacked ? 0 : index * width)
          const y = PLOT.bottom - height(below + value, top)
          if (chart.stacked) below += value
          return columnSvg(
            { x, y, width, height: height(value, top) },
            index,
            `${category}, ${series.name.cached[0] ?? ''}: ${number.format(value)}`,
          )
        })
        .join('')
    })
    .join('')
}

function columnSvg(box: { x: number; y: number; width: number; height: number }, index: number, label: string): string {
  const [x, y, width, barHeight] = [box.x, box.y, box.width, box.height].map((value) => value.toFixed(1))
  return `<rect x="${x}" y="${y}" width="${width}" height="${barHeight}" fill="#${colour(index)}"><title>${escapeHtml(label)}</title></rect>`
}

const colour = (index: number) => CHART_COLOURS[index % CHART_COLOURS.length]

function linesSvg(chart: ColumnChart, top: number): string {
  return chart.series
    .filter(({ line }) => line)
    .map(({ values }, index) => {
      const points = values.cached.flatMap((value, at) => {
        const slot = categorySlot(chart, at)
        const ends = [slot.x, slot.x + slot.width]
        return value === null ? [] : ends.map((x) => `${x.toFixed(1)},${(PLOT.bottom - height(value, top)).toFixed(1)}`)
      })
      return `<polyline points="${points.join(' ')}" class="limit limit${index}"/>`
    })
    .join('')
}

/** The value of each column, or the total of each stack, above it; side by side, columns have no room for them. */
function valuesSvg(chart: ColumnChart, columns: readonly ChartSeries[], top: number): string {
  if (!chart.stacked && columns.length !== 1) return ''
  return totals(columns)
    .map((total, at) => {
      if (total === 0) return ''
      const { x, width } = categorySlot(chart, at)
      const y = chart.labelled ? PLOT.bottom - 6 : PLOT.bottom - height(total, top) - 4
      const value = cellText({ value: total, style: { numFmt: chart.format } })
      return `<text x="${(x + width / 2).toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle" class="value">${value}</text>`
    })
    .join('')
}

function labelsSvg(chart: ColumnChart): string {
  const max = Math.max(6, Math.floor((LABEL_CHARACTERS * 8) / Math.max(8, chart.categories.cached.length)))
  return chart.categories.cached
    .map((category, at) => {
      const slot = categorySlot(chart, at)
      const label = truncate(cleanText(category), max + 3)
      return `<text x="${(slot.x + slot.width / 2).toFixed(1)}" y="${PLOT.bottom + 16}" text-anchor="middle">${escapeHtml(label)}</text>`
    })
    .join('')
}

/** Legend entries from the left, on as many lines as needed, and the position of the last line. */
function legendSvg({ series }: ColumnChart, top = LEGEND.top): { svg: string; bottom: number } {
  let [x, y] = [PLOT.left, top]
  const columns = series.filter(({ line }) => !line).length
  const entries = series.map(({ name, line = false }, index) => {
    const label = truncate(cleanText(name.cached[0] ?? ''), LEGEND.characters)
    const width = Math.round(26 + label.length * 6.2)
    if (x + width > WIDTH && x > PLOT.left) [x, y] = [PLOT.left, y + LEGEND.line]
    const entry = `${legendMark(x, y, line, line ? index - columns : index)}<text x="${x + 18}" y="${y}">${escapeHtml(label)}</text>`
    x += width
    return entry
  })
  return { svg: entries.join(''), bottom: y }
}

function legendMark(x: number, y: number, line: boolean, index: number): string {
  return line
    ? `<line x1="${x}" x2="${x + 14}" y1="${y - 4}" y2="${y - 4}" class="limit limit${index}"/>`
    : `<rect x="${x}" y="${y - 10}" width="11" height="11" fill="#${colour(index)}"/>`
}

/** Styles of the charts; the page defines the colours. */
export const CHART_STYLE = `svg{display:block;width:100%;height:auto;font:11px Arial,Helvetica,sans-serif;fill:var(--ink)}
.chart-title{font-size:14px;font-weight:bold}.value{font-weight:bold;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:2;stroke-dasharray:6 4;fill:none}.limit1{stroke:var(--warnink)}`
