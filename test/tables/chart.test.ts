import fc from 'fast-check'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import { Chart, type ChartProps, type Series } from '../../src/tables/charts/chart.js'

const dots = (...points: (readonly [name: string, x: number, y: number, shape?: Series['shape']])[]) =>
  points.map(([name, x, y, shape = 'dot' as Series['shape']]) => ({ name, points: [{ x, y }], shape }))
const drawn = (series: ChartProps['series'], more: Partial<ChartProps> = {}) =>
  render(h(Chart, { title: 'Awards', alt: 'Awards', xAxis: 'tonnes', legend: 'Price', series, ...more }))
const attribute = (tag: string, name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1])

/** Fails unless every point is inside the axes. */
function expectInside(html: string) {
  // Of attributes only: a series may be named "NaN".
  expect(html.replace(/>[^<]*/g, '>')).not.toMatch(/NaN|Infinity|undefined/)
  const svg = html.slice(html.indexOf('<svg class="plot"'), html.indexOf('</svg>'))
  const [, left, right] = /<path class="grid" d="M(\S+) \S+?H([\d.]+)/.exec(svg) ?? []
  for (const [circle] of svg.matchAll(/<circle [^>]*>/g)) {
    expect(attribute(circle, 'cx')).toBeGreaterThanOrEqual(Number(left) - 0.1)
    expect(attribute(circle, 'cx')).toBeLessThanOrEqual(Number(right) + 0.1)
    expect(attribute(circle, 'cy')).toBeGreaterThanOrEqual(0)
    expect(attribute(circle, 'cy')).toBeLessThanOrEqual(208.1)
  }
}

const size = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(0, 1e-6, 1e12, 1e12 + 1, 42),
)
const name = fc.string({ maxLength: 24 })

describe('a chart', () => {
  it('keeps every point inside its axes, whatever the values', () => {
    const point = fc.tuple(name, size, size, fc.constantFrom<Series['shape']>('dot', 'open-dot'))
    const limits = fc.array(fc.record({ name: fc.constant('Maximum price'), value: size }), { maxLength: 2 })
    fc.assert(
      fc.property(fc.array(point, { maxLength: 40 }), limits, (points, limits) =>
        expectInside(drawn(dots(...points), { limits })),
      ),
    )
    const steps = fc.record({ name, prices: fc.array(size, { minLength: 1, maxLength: 8 }) })
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 8 }), (all) => {
        const series = all.map(({ name, prices }) => ({
          ...{ name, shape: 'steps' as const },
          points: prices.map((y, at) => ({ x: Date.UTC(2026, at), y })),
        }))
        expectInside(drawn(series, { xAxis: 'time' }))
      }),
    )
  })

  it('labels points in one place apart, and leaves out a label that would touch another', () => {
    const html = drawn(dots(['10', 100, 10], ['11', 100, 10], ['13', 900, 20]))
    expect([...html.matchAll(/class="value"[^>]*>([^<]*)</g)].map(([, label]) => label)).toEqual(['10', '11', '13'])
    const crowd = Array.from({ length: 200 }, (_, at) => [`${at}`, 100 + (at % 7), 10 + (at % 11)] as const)
    const shown = drawn(dots(...crowd)).match(/class="value"/g) ?? []
    expect(shown.length).toBeGreaterThan(5)
    expect(shown.length).toBeLessThan(77)
  })

  it('leaves out a limit that is too far away, which would squash the points', () => {
    const withLimit = (value: number) =>
      drawn(dots(['1', 100, 10], ['2', 200, 12]), { limits: [{ name: 'Maximum price', value }] })
    expect(withLimit(500)).not.toContain('class="limit"')
    expect(withLimit(13)).toContain('>Maximum price<')
  })
})
