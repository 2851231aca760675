import { cleanText } from '../../core/text/clean-text.js'
import { truncate } from '../../core/text/number-format.js'
import { escapeMarkup } from '../look/markup.js'
import type { Axis } from './axis.js'
import { type Box, overlaps, TEXT_HEIGHT, textWidth } from './chart-labels.js'

/** As wide as a phone shows without scaling; the style sheet limits how far a chart grows. */
export const WIDTH = 400
/** The vertical range of a plot. */
export const [TOP, BOTTOM] = [18, 208]
export const RIGHT_MARGIN = 12
const MAX_LEFT = 130
/** Labels and categories are cut at this number of characters. */
export const MAX_LABEL = 16

/** What a chart consists of; each `key` is a small SVG. */
export interface Drawing {
  /** What the vertical axis measures. */
  unit: string
  parts: readonly string[]
  bottom: number
  legend: readonly { key: string; name: string }[]
  note: string | null
}

type Attributes = Readonly<Record<string, string | number>>

/** Elements of SVG that hold nothing but a title. */
const SHAPES = ['line', 'path', 'rect', 'circle']

/** Rounded to a tenth of a pixel. */
export const tenth = (value: number) => String(Math.round(value * 10) / 10)

/** An element; numbers are rounded to a tenth of a pixel. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const shown = typeof value === 'number' ? tenth(value) : escapeMarkup(value)
    return ` ${key}="${shown}"`
  })
  const start = `<${name}${written.join('')}`
  return content === '' && SHAPES.includes(name) ? `${start}/>` : `${start}>${content}</${name}>`
}

/** Text whose box has been placed. */
export const textIn = (words: string, { x, y, width }: Box, className?: string) =>
  element(
    'text',
    { x: x + width / 2, y: y + TEXT_HEIGHT - 3, ...(className && { class: className }) },
    escapeMarkup(words),
  )

export const line = (x1: number, y1: number, x2: number, y2: number, className: string) =>
  element('line', { x1, y1, x2, y2, class: className })
export const hint = (words: string) => element('title', {}, escapeMarkup(words))
export const label = (text: string) => truncate(cleanText(text), MAX_LABEL)
/** The style sheet gives it its size, 18 × 12. */
export const key = (content: string) => element('svg', { class: 'key', 'aria-hidden': 'true' }, content)

// --- axes ------------------------------------------------------------------------------------------------------------

/** The area between the axes. */
export interface Plot {
  left: number
  right: number
}
export const areaOf = ({ left, right }: Plot): Box => ({ x: left, y: 0, width: right - left, height: BOTTOM })

export const scale = ({ min, max }: Axis, from: number, to: number) => {
  const at = (value: number) => from + ((value - min) / (max - min)) * (to - from)
  return (value: number) => Math.min(Math.max(at(value), Math.min(from, to)), Math.max(from, to))
}

export function plotFor(y: Axis, right: number): Plot {
  const widest = y.ticks.reduce((width, tick) => Math.max(width, textWidth(y.format(tick))), 0)
  return { left: Math.min(MAX_LEFT, Math.ceil(widest) + 8), right }
}

/** Lines across the plot with their values. */
export function grid({ ticks, format }: Axis, at: (value: number) => number, { left, right }: Plot): string[] {
  const lines = ticks.map((tick) => `M${tenth(left)} ${tenth(at(tick))}H${tenth(right)}`)
  const values = ticks.map((tick) => element('text', { x: left - 6, y: at(tick) + 4 }, escapeMarkup(format(tick))))
  return [
    element('path', { d: lines.join(''), class: 'grid' }),
    element('g', { 'text-anchor': 'end' }, values.join('')),
  ]
}

/** The texts of marks below the plot: all, or every second, third … if they would touch. */
export function marksBelow(marks: readonly { x: number; text: string }[]): string[] {
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

export const titleBelow = (text: string, { right }: Plot) =>
  text === ''
    ? []
    : [element('text', { x: right, y: BOTTOM + 37, 'text-anchor': 'end' }, escapeMarkup(cleanText(text)))]
export const bottomFor = (title: string) => BOTTOM + (title === '' ? 26 : 42)
