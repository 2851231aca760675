import { cellText } from '../layout/cell-text.js'
import { CHART_COLOURS, type Chart, type ChartSeries } from '../layout/chart.js'
import { cleanText, truncate } from '../layout/clean-text.js'
import { escapeHtml } from './escape-html.js'

const WIDTH = 640
const PLOT = { left: 62, top: 34, right: 630, bottom: 252 }
const LEGEND = { top: PLOT.bottom + 40, line: 17, characters: 30 }
const TICKS = 5
const LABEL_CHARACTERS = 12

/** Renders a chart as SVG, from the same figures as the native chart in the workbook. */
export function chartSvg(chart: Chart): string {
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
  return (
    `<svg viewBox="0 0 ${WIDTH} ${legend.bottom + 12}" role="img" aria-label="${escapeHtml(chart.alt)}">` +
    `<text x="${WIDTH / 2}" y="18" text-anchor="middle" class="chart-title">${escapeHtml(chart.title)}</text>${parts.join('')}${legend.svg}</svg>`
  )
}

function chartMaximum({ stacked, series }: Chart, columns: readonly ChartSeries[]): number {
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
function categorySlot(chart: Chart, at: number): { x: number; width: number } {
  const width = (PLOT.right - PLOT.left) / Math.max(1, chart.categories.cached.length)
  return { x: PLOT.left + at * width, width }
}

function columnsSvg(chart: Chart, columns: readonly ChartSeries[], top: number): string {
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

function linesSvg(chart: Chart, top: number): string {
  return chart.series
    .filter(({ line }) => line)
    .map(({ values }) => {
      const points = values.cached.flatMap((value, at) => {
        const slot = categorySlot(chart, at)
        const ends = [slot.x, slot.x + slot.width]
        return value === null ? [] : ends.map((x) => `${x.toFixed(1)},${(PLOT.bottom - height(value, top)).toFixed(1)}`)
      })
      return `<polyline points="${points.join(' ')}" class="limit"/>`
    })
    .join('')
}

/** The value of each column, or the total of each stack, above it; side by side, columns have no room for them. */
function valuesSvg(chart: Chart, columns: readonly ChartSeries[], top: number): string {
  if (!chart.stacked && columns.length !== 1) return ''
  return totals(columns)
    .map((total, at) => {
      if (total === 0) return ''
      const { x, width } = categorySlot(chart, at)
      const y = PLOT.bottom - height(total, top) - 4
      const value = cellText({ value: total, style: { numFmt: chart.format } })
      return `<text x="${(x + width / 2).toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle" class="value">${value}</text>`
    })
    .join('')
}

function labelsSvg(chart: Chart): string {
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
function legendSvg({ series }: Chart): { svg: string; bottom: number } {
  let [x, y] = [PLOT.left, LEGEND.top]
  const entries = series.map(({ name, line = false }, index) => {
    const label = truncate(cleanText(name.cached[0] ?? ''), LEGEND.characters)
    const width = Math.round(26 + label.length * 6.2)
    if (x + width > WIDTH && x > PLOT.left) [x, y] = [PLOT.left, y + LEGEND.line]
    const entry = `${legendMark(x, y, line, index)}<text x="${x + 18}" y="${y}">${escapeHtml(label)}</text>`
    x += width
    return entry
  })
  return { svg: entries.join(''), bottom: y }
}

function legendMark(x: number, y: number, line: boolean, index: number): string {
  return line
    ? `<line x1="${x}" x2="${x + 14}" y1="${y - 4}" y2="${y - 4}" class="limit"/>`
    : `<rect x="${x}" y="${y - 10}" width="11" height="11" fill="#${colour(index)}"/>`
}

/** Styles of the charts; the page defines the colours. */
export const CHART_STYLE = `svg{display:block;width:100%;height:auto;font:11px Arial,Helvetica,sans-serif;fill:var(--ink)}
.chart-title{font-size:14px;font-weight:bold}.value{font-weight:bold;paint-order:stroke;stroke:var(--paper);stroke-width:3px}.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:2;stroke-dasharray:6 4;fill:none}`
