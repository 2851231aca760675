import { cleanText } from '../core/text/clean-text.js'
import { formatCount, truncate } from '../core/text/number-format.js'
import { type Axis, numberAxis, timeAxis } from './axis.js'
import { type Chart, type ColumnChart, knownPoints, type PointShape, type ScatterChart } from './chart.js'
import { type Box, overlaps, placesAround, TEXT_HEIGHT, takeFree, textWidth } from './chart-labels.js'
import { escapeMarkup } from './markup.js'
import { formatNumber } from './number-format-code.js'

/** As wide as a phone shows without scaling; the style sheet limits how far a chart grows. */
const WIDTH = 400
const TOP = 18
const BOTTOM = 208
const RIGHT_MARGIN = 12
const MAX_LEFT = 130
/** Labels and categories are cut at this number of characters. */
const MAX_LABEL = 16
/** Points of a chart whose points are labelled. */
const MAX_LABELLED = 60
const MAX_NAMED = 12
const [RADIUS, RING] = [4.5, 9]

/** A chart as the content of a `figure`: caption, SVG, and below it what the shapes stand for. */
export function chartFigure(chart: Chart): string {
  const { unit, parts, bottom, legend, note } = 'points' in chart ? scatterDrawing(chart) : columnDrawing(chart)
  const frame = { class: 'plot', viewBox: `0 0 ${WIDTH} ${bottom}`, role: 'img', 'aria-label': chart.alt }
  const entries = legend.map(({ key, name }) => element('li', {}, key + escapeMarkup(name)))
  return [
    element(
      'figcaption',
      {},
      `${escapeMarkup(chart.title)}${unit === '' ? '' : element('small', {}, escapeMarkup(unit))}`,
    ),
    element('svg', frame, parts.join('')),
    entries.length === 0 ? '' : element('ul', { class: 'legend' }, entries.join('')),
    note === null ? '' : element('p', { class: 'note' }, escapeMarkup(note)),
  ].join('')
}

interface Drawing {
  /** What the vertical axis measures. */
  unit: string
  parts: readonly string[]
  bottom: number
  legend: readonly { key: string; name: string }[]
  note: string | null
}

// --- elements --------------------------------------------------------------------------------------------------------

type Attributes = Readonly<Record<string, string | number>>

/** An element; numbers are rounded to a tenth of a pixel. */
function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const shown = typeof value === 'number' ? String(Math.round(value * 10) / 10) : escapeMarkup(value)
    return ` ${key}="${shown}"`
  })
  return `<${name}${written.join('')}>${content}</${name}>`
}

/** Text whose box has been placed. */
const textIn = (words: string, { x, y, width }: Box, className?: string) =>
  element(
    'text',
    { x: x + width / 2, y: y + TEXT_HEIGHT - 3, 'text-anchor': 'middle', ...(className && { class: className }) },
    escapeMarkup(words),
  )

const line = (x1: number, y1: number, x2: number, y2: number, className: string) =>
  element('line', { x1, y1, x2, y2, class: className })
const hint = (words: string) => element('title', {}, escapeMarkup(words))
const label = (text: string) => truncate(cleanText(text), MAX_LABEL)
const key = (content: string) => element('svg', { class: 'key', viewBox: '0 0 18 12', 'aria-hidden': 'true' }, content)

// --- axes ------------------------------------------------------------------------------------------------------------

/** The area between the axes. */
interface Plot {
  left: number
  right: number
}
const areaOf = ({ left, right }: Plot): Box => ({ x: left, y: 0, width: right - left, height: BOTTOM })

const scale = ({ min, max }: Axis, from: number, to: number) => {
  const at = (value: number) => from + ((value - min) / (max - min)) * (to - from)
  return (value: number) => Math.min(Math.max(at(value), Math.min(from, to)), Math.max(from, to))
}

function plotFor(y: Axis, right: number): Plot {
  const widest = y.ticks.reduce((width, tick) => Math.max(width, textWidth(y.format(tick))), 0)
  return { left: Math.min(MAX_LEFT, Math.ceil(widest) + 8), right }
}

/** Lines across the plot with their values. */
const grid = ({ ticks, format }: Axis, at: (value: number) => number, { left, right }: Plot) =>
  ticks.map(
    (tick) =>
      line(left, at(tick), right, at(tick), 'grid') +
      element('text', { x: left - 6, y: at(tick) + 4, 'text-anchor': 'end' }, escapeMarkup(format(tick))),
  )

/** The texts of marks below the plot: all, or every second, third … if they would touch. */
function marksBelow(marks: readonly { x: number; text: string }[]): string[] {
  const boxes = marks.map(({ x, text }): Box => {
    const width = textWidth(text)
    const left = Math.max(0, Math.min(WIDTH - width, x - width / 2))
    return { x: left, y: BOTTOM + 7, width, height: TEXT_HEIGHT }
  })
  const touches = (each: number) =>
    boxes.some((box, at) => {
      const next = boxes[at + each]
      return at % each === 0 && next !== undefined && overlaps({ ...box, width: box.width + 6 }, next)
    })
  let each = 1
  while (touches(each)) each++
  return marks.flatMap(({ text }, at) => (at % each === 0 ? [textIn(text, boxes[at] as Box)] : []))
}

const titleBelow = (text: string, { right }: Plot) =>
  text === ''
    ? []
    : [element('text', { x: right, y: BOTTOM + 37, 'text-anchor': 'end' }, escapeMarkup(cleanText(text)))]
const bottomFor = (title: string) => BOTTOM + (title === '' ? 26 : 42)

// --- columns ---------------------------------------------------------------------------------------------------------

const NEUTRALS = 4

function columnDrawing({ categories, categoryTitle, valueTitle, series, stacked, format }: ColumnChart): Drawing {
  const names = categories.cached
  const figureOf = (one: ColumnChart['series'][number], at: number) => one.values.cached[at] ?? 0
  const sums = (sign: 1 | -1) =>
    names.map((_, at) => series.reduce((sum, one) => sum + Math.max(0, sign * figureOf(one, at)) * sign, 0))
  const values = stacked ? [...sums(1), ...sums(-1)] : series.flatMap((one) => names.map((_, at) => figureOf(one, at)))
  const axis = numberAxis(values, { fromZero: true })
  const plot = plotFor(axis, WIDTH - RIGHT_MARGIN)
  const y = scale(axis, BOTTOM, TOP)
  const slot = (plot.right - plot.left) / Math.max(1, names.length)
  const width = (Math.min(slot, 90) * 0.7) / (stacked ? 1 : Math.max(1, series.length))
  const group = width * (stacked ? 1 : series.length)
  const centre = (at: number) => plot.left + (at + 0.5) * slot
  let neutrals = 0
  const fills = series.map(({ awarded = false }) => (awarded ? 'fill award' : `fill n${neutrals++ % NEUTRALS}`))
  const boxes = names.flatMap((name, at) => {
    const ends = { up: 0, down: 0 }
    return series.map((one, index) => {
      const value = figureOf(one, at)
      const side = value < 0 ? 'down' : 'up'
      const from = stacked ? ends[side] : 0
      ends[side] += value
      const box = {
        x: centre(at) - group / 2 + (stacked ? 0 : index * width),
        y: Math.min(y(from), y(from + value)),
        width,
        height: Math.abs(y(from) - y(from + value)),
      }
      if (box.height === 0) return ''
      const words = `${name}, ${one.name.cached[0] ?? ''}: ${formatNumber(value, format)}`
      const mark = one.mark ?? ''
      const fits = mark !== '' && box.height > TEXT_HEIGHT && textWidth(mark) < width
      const inside = { ...box, y: box.y + (box.height - TEXT_HEIGHT) / 2 }
      const rectangle = element('rect', { ...box, class: fills[index] ?? '' }, hint(words))
      return fits ? rectangle + textIn(mark, inside, one.awarded ? 'on-award' : 'on-fill') : rectangle
    })
  })
  // The value of each column, or the total of each stack, if all of them have room; side by side, none has.
  const totals = sums(1).map((total, at) => ({ total, text: formatNumber(total, format), x: centre(at) }))
  const isLabelled = (stacked || series.length === 1) && totals.every(({ text }) => textWidth(text) <= slot)
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
    name: name.cached[0] ?? '',
  }))
  return {
    unit: valueTitle,
    parts: [...grid(axis, y, plot), ...boxes, ...above, ...marksBelow(marks), ...titleBelow(categoryTitle, plot)],
    bottom: bottomFor(categoryTitle),
    legend: series.length > 1 ? legend : [],
    note: null,
  }
}

// --- scatter ---------------------------------------------------------------------------------------------------------

interface Mark {
  name: string
  x: number
  y: number
  shape: PointShape
  awarded: boolean
}

/** How much farther than the points a limit may lie, as a share of their range, and still be on the chart. */
const MAX_LIMIT_DISTANCE = 1.5

function scatterDrawing({ xTitle, yTitle, xFormat, yFormat, points, limits = [] }: ScatterChart): Drawing {
  const series = points.map((one) => ({ ...one, known: knownPoints(one) }))
  const all = series.flatMap(({ known }) => known)
  const isTime = xFormat === 'time'
  const prices = all.map(({ y }) => y)
  const near = limits.filter(({ value }) => isNear(value, prices))
  const axes = {
    x: isTime && all.length > 0 ? timeAxis(all.map(({ x }) => x)) : numberAxis(all.map(({ x }) => x)),
    y: numberAxis([...prices, ...near.map(({ value }) => value)]),
  }
  const ends = series.filter(({ shape, known }) => shape === 'steps' && known.length > 0)
  const endWidth = ends.reduce((width, { name }) => Math.max(width, textWidth(label(name.cached[0] ?? ''))), 0)
  const plot = plotFor(axes.y, WIDTH - (ends.length > 0 ? Math.ceil(endWidth) + 14 : RIGHT_MARGIN + 8))
  const [x, y] = [scale(axes.x, plot.left + 4, plot.right), scale(axes.y, BOTTOM, TOP)]
  const drawn = series.map(({ known, shape, awarded = false }) =>
    known.map((point): Mark => ({ name: cleanText(point.name), x: x(point.x), y: y(point.y), shape, awarded })),
  )
  const figures = series.flatMap(({ known }) =>
    known.map(
      (point) =>
        `${point.name}: ${isTime ? '' : `${formatNumber(point.x, xFormat)}, `}${formatNumber(point.y, yFormat)}`,
    ),
  )
  let at = 0
  const joined: string[] = []
  const rings: string[] = []
  const dots: string[] = []
  for (const [index, marks] of drawn.entries()) {
    const { shape } = series[index] as (typeof series)[number]
    if (shape === 'line' || shape === 'steps') joined.push(path(marks, shape, index))
    for (const [place, mark] of marks.entries()) {
      const shown = dot(mark, figures[at++] ?? '')
      // A step has a dot where its value changes.
      if (shape === 'steps' && marks[place - 1]?.y === mark.y) continue
      ;(shape === 'ring' ? rings : dots).push(shown)
    }
  }
  const taken: Box[] = drawn.flat().map(boxOf)
  const lines = near.map(({ name, value }) => limitLine(name, y(value), plot, taken))
  const single = drawn.flat().filter(({ shape }) => shape !== 'line' && shape !== 'steps')
  const named = labelsOf(single, taken, areaOf({ left: plot.left, right: WIDTH }))
  const atEnds = endLabels(
    drawn.filter((marks) => marks[0]?.shape === 'steps'),
    plot,
  )
  const below = axes.x.ticks.map((tick) => ({ x: x(tick), text: axes.x.format(tick) }))
  return {
    unit: yTitle,
    parts: [
      ...grid(axes.y, y, plot),
      ...marksBelow(below),
      ...lines,
      ...joined,
      ...rings,
      ...dots,
      ...named.labels,
      ...atEnds.labels,
      ...titleBelow(xTitle, plot),
    ],
    bottom: bottomFor(xTitle),
    legend: meaningsOf(series),
    note: noteOf(
      limits
        .filter((limit) => !near.includes(limit))
        .map((limit) => `${limit.name}: ${formatNumber(limit.value, yFormat)}, beyond this chart.`),
      [...named.left, ...atEnds.left],
    ),
  }
}

function isNear(limit: number, values: readonly number[]): boolean {
  const { min, max } = numberAxis(values)
  const room = (max - min) * MAX_LIMIT_DISTANCE
  return values.length > 0 && limit >= min - room && limit <= max + room
}

const boxOf = ({ x, y, shape }: Mark): Box => {
  const r = shape === 'ring' ? RING + 1 : shape === 'line' ? 3 : RADIUS + 0.5
  return { x: x - r, y: y - r, width: 2 * r, height: 2 * r }
}

const paint = (awarded: boolean, index: number) => (awarded ? 'award' : `d${index % NEUTRALS}`)

/** A line through points, or steps. */
function path(marks: readonly Mark[], shape: 'line' | 'steps', index: number): string {
  const to = (value: number) => String(Math.round(value * 10) / 10)
  const d = marks.map(({ x, y }, at) =>
    at === 0 ? `M${to(x)} ${to(y)}` : shape === 'line' ? `L${to(x)} ${to(y)}` : `H${to(x)}V${to(y)}`,
  )
  return element('path', {
    d: d.join(''),
    class: `path ${shape === 'line' ? 'd0' : paint(marks[0]?.awarded === true, index)}`,
  })
}

/** @param ring the radius of a ring */
function dot({ x, y, shape, awarded }: Mark, words: string, ring = RING): string {
  const title = hint(words)
  if (shape === 'line') return element('rect', { x: x - 2.5, y: y - 2.5, width: 5, height: 5, class: 'dot' }, title)
  if (shape === 'ring') return element('circle', { cx: x, cy: y, r: ring, class: 'ring' }, title)
  const r = shape === 'steps' ? 3 : RADIUS
  const kind = shape === 'open-dot' ? 'dot open' : awarded ? 'dot award' : 'dot'
  return element('circle', { cx: x, cy: y, r, class: kind }, title)
}

/** A dashed line across the plot, named above or below its end. */
function limitLine(name: string, y: number, { left, right }: Plot, taken: Box[]): string {
  const text = truncate(cleanText(name), 2 * MAX_LABEL)
  const size = { width: textWidth(text), height: TEXT_HEIGHT }
  const places = [right - size.width, left + 4].flatMap((x) =>
    [y - TEXT_HEIGHT - 1, y + 1].map((top) => ({ x, y: top, ...size })),
  )
  const place = takeFree(places, taken, areaOf({ left, right }))
  return line(left, y, right, y, 'limit') + (place === undefined ? '' : textIn(text, place, 'limit-name'))
}

/** Labels beside points, as far as they have room; points in one place share a label. */
function labelsOf(marks: readonly Mark[], taken: Box[], area: Box): { labels: string[]; left: string[] } {
  if (marks.length > MAX_LABELLED) return { labels: [], left: marks.map(({ name }) => name) }
  const places = new Map<string, Mark[]>()
  for (const mark of marks) {
    const place = `${Math.round(mark.x / 3)} ${Math.round(mark.y / 3)}`
    places.set(place, [...(places.get(place) ?? []), mark])
  }
  const hasRing = (group: readonly Mark[]) => group.some(({ shape }) => shape === 'ring')
  const groups = [...places.values()].sort((a, b) => Number(hasRing(b)) - Number(hasRing(a)))
  const [labels, left]: [string[], string[]] = [[], []]
  for (const group of groups) {
    const own = group.filter(({ shape }) => shape !== 'ring').map(({ name }) => label(name))
    const words = [...own, ...group.filter(({ shape }) => shape === 'ring').map(({ name }) => label(name))].join(', ')
    const [mark] = group as [Mark]
    const places = placesAround(mark, textWidth(words), hasRing(group) ? RING + 3 : RADIUS + 2)
    const place = takeFree(places, taken, area)
    if (place === undefined) left.push(...own)
    else labels.push(textIn(words, place, 'value'))
  }
  return { labels, left }
}

/** Labels at the right of lines, moved apart where lines end close to each other. */
function endLabels(lines: readonly (readonly Mark[])[], { right }: Plot): { labels: string[]; left: string[] } {
  const taken: Box[] = []
  const [labels, left]: [string[], string[]] = [[], []]
  const area = { x: right, y: 0, width: WIDTH - right, height: BOTTOM + TEXT_HEIGHT / 2 }
  for (const marks of lines) {
    const last = marks.at(-1) as Mark
    const words = label(last.name)
    const offsets = Array.from(
      { length: 2 * Math.floor(BOTTOM / 7) },
      (_, at) => (at % 2 === 0 ? 1 : -1) * Math.ceil(at / 2) * 7,
    )
    const places = offsets.map((offset) => ({
      ...{ x: right + 10, y: last.y - TEXT_HEIGHT / 2 + offset },
      ...{ width: textWidth(words), height: TEXT_HEIGHT },
    }))
    const place = takeFree(places, taken, area)
    if (place === undefined) left.push(words)
    else {
      labels.push(line(last.x + 2, last.y, right + 8, place.y + TEXT_HEIGHT / 2, 'leader'))
      labels.push(textIn(words, place, last.awarded ? 'value award' : 'value'))
    }
  }
  return { labels, left }
}

function meaningsOf(series: readonly ScatterChart['points'][number][]): Drawing['legend'] {
  const meanings = new Map<string, string>()
  for (const [index, { meaning, shape, awarded = false }] of series.entries()) {
    if (meaning === undefined || meanings.has(meaning)) continue
    const mark = { name: '', x: 9, y: 6, shape, awarded }
    const isLine = shape === 'line' || shape === 'steps'
    const across = isLine
      ? path(
          [
            { ...mark, x: 0 },
            { ...mark, x: 18 },
          ],
          'line',
          index,
        )
      : ''
    meanings.set(meaning, key(across + dot(mark, meaning, 4.5)))
  }
  return [...meanings].map(([name, shown]) => ({ key: shown, name }))
}

function noteOf(beyond: readonly string[], unlabelled: readonly string[]): string | null {
  const names = unlabelled.length > MAX_NAMED ? formatCount(unlabelled.length, 'point') : unlabelled.join(', ')
  const sentences = [...beyond, ...(unlabelled.length === 0 ? [] : [`No room for the labels of ${names}.`])]
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** Styles of charts; theme.ts defines colours and sizes. Charts keep the size of the text around them. */
export const CHART_STYLE = `.chart{margin:0;padding:0;border:0;background:none;min-width:0;max-width:30rem}.chart figcaption{font-size:var(--t3);font-weight:600;margin-bottom:var(--s2)}.chart figcaption small{display:block;font-size:var(--t4);font-weight:400;color:var(--muted)}
.plot{display:block;width:100%;height:auto;font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}.plot text{stroke:none}.plot .value,.plot .limit-name{paint-order:stroke;stroke:var(--chart-paper,var(--paper));stroke-width:3px}.plot .value{fill:var(--ink)}.plot .on-award{fill:var(--paper)}.plot .on-fill{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:1.5;stroke-dasharray:5 3}.plot .limit-name{fill:var(--badink)}.leader{stroke:var(--line);stroke-width:1}
.fill{stroke:var(--edge);stroke-width:1;fill:var(--edge)}.fill.award{fill:var(--sectionink);stroke:var(--sectionink)}.n0{fill-opacity:.5}.n1{fill-opacity:.3}.n2{fill-opacity:.15}.n3{fill-opacity:.4}
.path{fill:none;stroke:var(--edge);stroke-width:1.5}.path.d1{stroke-dasharray:6 3}.path.d2{stroke-dasharray:2 3}.path.d3{stroke-dasharray:8 3 2 3}.path.award{stroke:var(--sectionink);stroke-width:2.5}
.dot{fill:var(--edge);stroke:var(--paper);stroke-width:1}.dot.award{fill:var(--sectionink)}.dot.open{fill:var(--paper);stroke:var(--edge);stroke-width:2}.ring{fill:none;stroke:var(--sectionink);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s4);margin:var(--s2) 0 0;padding:0;list-style:none;font-size:var(--t4);color:var(--muted)}.legend .key{width:18px;height:12px;margin-right:var(--s1);vertical-align:-1px}.chart .note{margin:var(--s1) 0 0;font-size:var(--t4);color:var(--muted)}
@media (max-width:40rem){.chart{max-width:none}.plot{font-size:14px}}`
