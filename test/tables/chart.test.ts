import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chart, PointShape } from '../../src/tables/charts/chart.js'
import { chartFigure } from '../../src/tables/charts/chart-figure.js'
import { type Box, overlaps, textWidth } from '../../src/tables/charts/labels.js'

const dots = (...points: (readonly [name: string, x: number, y: number, shape?: PointShape])[]) =>
  points.map(([name, x, y, shape = 'dot' as PointShape]) => ({ name, points: [{ x, y }], shape }))
const scatter = (series: Chart['series'], more: Partial<Chart> = {}): Chart => ({
  ...{ title: 'Awards', alt: 'Awards', xAxis: 'tonnes', unit: 'Price' },
  series,
  ...more,
})
const attribute = (tag: string, name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1])
const tagsOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name} [^>]*>`, 'g'))].map(([tag]) => tag)

/** The boxes of all texts of the plot, as wide as estimated. */
function textBoxes(html: string): (Box & { text: string })[] {
  const ofAxis = /<g text-anchor="end">(.*?)<\/g>/.exec(html)?.[1] ?? ''
  return [...html.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([tag, , escaped = '']) => {
    const text = escaped.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    const width = textWidth(text)
    const shift = ofAxis.includes(tag) || tag.includes('text-anchor="end"') ? 1 : 0.5
    return { x: attribute(tag, 'x') - width * shift, y: attribute(tag, 'y') - 11, width, height: 13, text }
  })
}

/** Fails unless every shape is inside the axes and no text touches another. */
function expectClean(chart: Chart) {
  const html = chartFigure(chart)
  expect(html).not.toMatch(/NaN|Infinity|undefined/)
  const svg = html.slice(html.indexOf('<svg class="plot"'), html.indexOf('</svg>'))
  const [, left, right] = /<path d="M(\S+) \S+?H([\d.]+)[^>]* class="grid"/.exec(svg) ?? []
  const plot = { left: Number(left), right: Number(right), top: 0, bottom: 208 }
  for (const circle of tagsOf(svg, 'circle')) {
    expect(attribute(circle, 'cx')).toBeGreaterThanOrEqual(plot.left - 0.1)
    expect(attribute(circle, 'cx')).toBeLessThanOrEqual(plot.right + 0.1)
    expect(attribute(circle, 'cy')).toBeGreaterThanOrEqual(plot.top)
    expect(attribute(circle, 'cy')).toBeLessThanOrEqual(plot.bottom + 0.1)
  }
  for (const box of tagsOf(svg, 'rect')) {
    expect(attribute(box, 'x')).toBeGreaterThanOrEqual(plot.left - 0.1)
    expect(attribute(box, 'x') + attribute(box, 'width')).toBeLessThanOrEqual(plot.right + 0.1)
    expect(attribute(box, 'y') + attribute(box, 'height')).toBeLessThanOrEqual(plot.bottom + 0.2)
  }
  const boxes = textBoxes(svg).sort((a, b) => a.x - b.x)
  for (const [at, box] of boxes.entries()) {
    expect(box.x, box.text).toBeGreaterThanOrEqual(-0.5)
    expect(box.x + box.width, box.text).toBeLessThanOrEqual(400.5)
    for (const other of boxes.slice(at + 1)) {
      if (other.x > box.x + box.width) break
      expect(overlaps({ ...box, width: box.width - 0.2 }, other), `${box.text} and ${other.text}`).toBe(false)
    }
  }
  return html
}

const size = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, 1e-6, 1e12, 1e12 + 1, 42),
)

describe('a chart', () => {
  it('keeps every point inside its axes and every text apart from the others, whatever the values', () => {
    const point = fc.tuple(
      fc.string({ maxLength: 24 }),
      size,
      size,
      fc.constantFrom<PointShape>('dot', 'open-dot', 'ring'),
    )
    const limits = fc.array(fc.record({ name: fc.constantFrom('Maximum price', 'Minimum price'), value: size }), {
      maxLength: 2,
    })
    fc.assert(
      fc.property(fc.array(point, { maxLength: 40 }), limits, (points, limits) => {
        expectClean(scatter(dots(...points), { limits }))
      }),
    )
    const steps = fc.record({
      name: fc.string({ maxLength: 24 }),
      prices: fc.array(size, { minLength: 1, maxLength: 8 }),
    })
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 8 }), (all) => {
        const points = all.map(({ name, prices }) => ({
          ...{ name, shape: 'steps' as const },
          points: prices.map((y, at) => ({ x: Date.UTC(2026, at), y })),
        }))
        expectClean(scatter(points, { xAxis: 'time' }))
      }),
    )
  })

  it('labels dots, not lines', () => {
    const line = {
      name: 'Efficient',
      points: [
        { x: 1, y: 3 },
        { x: 2, y: 2 },
      ],
      shape: 'line' as const,
    }
    const html = chartFigure(scatter([line, ...dots(['7', 1, 3])]))
    expect([...html.matchAll(/class="value">([^<]*)</g)].map(([, label]) => label)).toEqual(['7'])
    expect(tagsOf(html, 'path').filter((tag) => tag.includes('class="path'))).toHaveLength(1)
    expect(tagsOf(html, 'circle')).toHaveLength(1)
  })

  it('gives points in one place one label, outside of a ring around them', () => {
    const html = chartFigure(
      scatter(dots(['recommended', 100, 10, 'ring'], ['10', 100, 10], ['11', 100, 10], ['13', 900, 20])),
    )
    expect(html).toContain('>10, 11<')
    expect(html).toContain('>13<')
  })

  it('leaves out a limit that is too far away, which would squash the points', () => {
    const points = dots(['1', 100, 10], ['2', 200, 12])
    const html = chartFigure(scatter(points, { unit: '', limits: [{ name: 'Maximum price', value: 500 }] }))
    expect(html).not.toContain('class="limit"')
    const near = chartFigure(scatter(points, { limits: [{ name: 'Maximum price', value: 13 }] }))
    expect(near).toContain('>Maximum price<')
  })

  it('escapes text', () => {
    expect(chartFigure(scatter(dots(['<b>', 1, 1], ['2', 2, 2])))).not.toContain('<b>')
  })
})
