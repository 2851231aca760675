import { cleanText } from '../../core/text/clean-text.js'
import { formatCount, truncate } from '../../core/text/number-format.js'
import { formatNumber } from '../print/number-format-code.js'
import { numberAxis, timeAxis } from './axis.js'
import { knownPoints, type PointShape, type ScatterChart } from './chart.js'
import {
  areaOf,
  BOTTOM,
  bottomFor,
  type Drawing,
  element,
  grid,
  hint,
  key,
  label,
  line,
  MAX_LABEL,
  marksBelow,
  type Plot,
  plotFor,
  RIGHT_MARGIN,
  scale,
  TOP,
  tenth,
  textIn,
  titleBelow,
  WIDTH,
} from './chart-kit.js'
import { type Box, placesAround, TEXT_HEIGHT, takeFree, textWidth } from './chart-labels.js'

/** Points of a chart whose points are labelled. */
const MAX_LABELLED = 60
const MAX_NAMED = 12
const [RADIUS, RING] = [4.5, 9]
/** Line styles. */
const DASHES = 4

interface Mark {
  name: string
  x: number
  y: number
  shape: PointShape
  awarded: boolean
}

/** How much farther than the points a limit may lie, as a share of their range, and still be on the chart. */
const MAX_LIMIT_DISTANCE = 1.5

/** Dots, lines and steps, with their labels as far as they have room. */
export function scatterDrawing({ xTitle, yTitle, xFormat, yFormat, points, limits = [] }: ScatterChart): Drawing {
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
  const endWidth = ends.reduce((width, { name }) => Math.max(width, textWidth(label(name))), 0)
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
  const joined: { awarded: boolean; path: string }[] = []
  const rings: string[] = []
  const dots: string[] = []
  for (const [index, marks] of drawn.entries()) {
    const { shape } = series[index] as (typeof series)[number]
    if (shape === 'line' || shape === 'steps')
      joined.push({ awarded: marks[0]?.awarded === true, path: path(marks, shape, index) })
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
      // What is awarded covers the others.
      ...joined.sort((a, b) => Number(a.awarded) - Number(b.awarded)).map((one) => one.path),
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

const paint = (awarded: boolean, index: number) => (awarded ? 'award' : `d${index % DASHES}`)

/** A line through points, or steps. */
function path(marks: readonly Mark[], shape: 'line' | 'steps', index: number): string {
  const d = marks.map(({ x, y }, at) =>
    at === 0 ? `M${tenth(x)} ${tenth(y)}` : shape === 'line' ? `L${tenth(x)} ${tenth(y)}` : `H${tenth(x)}V${tenth(y)}`,
  )
  return element('path', {
    d: d.join(''),
    class: `path ${shape === 'line' ? 'd0' : paint(marks[0]?.awarded === true, index)}`,
  })
}

/** @param words nothing in a legend, which says them beside it @param ring the radius of a ring */
function dot({ x, y, shape, awarded }: Mark, words: string, ring = RING): string {
  const title = words === '' ? '' : hint(words)
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
  const leaders: string[] = []
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
      leaders.push(`M${tenth(last.x + 2)} ${tenth(last.y)}L${tenth(right + 8)} ${tenth(place.y + TEXT_HEIGHT / 2)}`)
      labels.push(textIn(words, place, last.awarded ? 'value award' : 'value'))
    }
  }
  if (leaders.length > 0) labels.unshift(element('path', { d: leaders.join(''), class: 'leader' }))
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
    meanings.set(meaning, key(across + dot(mark, '', 4.5)))
  }
  return [...meanings].map(([name, shown]) => ({ key: shown, name }))
}

function noteOf(beyond: readonly string[], unlabelled: readonly string[]): string | null {
  const names = unlabelled.length > MAX_NAMED ? formatCount(unlabelled.length, 'point') : unlabelled.join(', ')
  const sentences = [...beyond, ...(unlabelled.length === 0 ? [] : [`No room for the labels of ${names}.`])]
  return sentences.length === 0 ? null : sentences.join(' ')
}
