import { describe, expect, it } from 'vitest'
import { roundStep, type ScatterChart, scatterAxes } from '../../src/presentation/chart.js'
import { chartSvg } from '../../src/presentation/chart-svg.js'

const range = <T>(...cached: T[]) => ({ ref: '', cached })
const dots = (...points: (readonly [name: string, x: number | null, y: number | null])[]) =>
  points.map(([name, x, y]) => ({ name: range(name), x: range(x), y: range(y) }))
const chart = (points: ScatterChart['points']): ScatterChart => ({
  ...{ title: 'Awards', alt: 'Awards', xTitle: 'Tonnes', yTitle: 'Price', xFormat: '#,##0', yFormat: '0.00' },
  points,
})

describe('a scatter chart', () => {
  it('has axes with round steps around all points', () => {
    const { x, y } = scatterAxes(chart(dots(['1', 8_670, 28.8], ['2', 6_110, 36.99], ['3', null, 99])))
    expect(x).toEqual({ min: 5_000, max: 9_000, step: 1_000 })
    expect(y).toEqual({ min: 28, max: 38, step: 2 })
    expect([0.3, 1, 1.2, 2.4, 3, 7].map(roundStep)).toEqual([0.5, 1, 2, 2.5, 5, 10])
  })

  it('has axes with one point, or none', () => {
    const one = scatterAxes(chart(dots(['1', 500, 12])))
    expect(one.x.min).toBeLessThan(500)
    expect(one.x.max).toBeGreaterThan(500)
    expect(scatterAxes(chart([])).x).toEqual({ min: 0, max: 1, step: 1 })
  })

  it('labels dots, not lines, and leaves out points without a figure', () => {
    const line = { name: range('Efficient'), x: range(1, 2), y: range(3, 2), joined: true }
    const svg = chartSvg(chart([line, ...dots(['7', 1, 3], ['8', null, 2])]))
    const labels = [...svg.matchAll(/class="value">([^<]*)</g)].map(([, label]) => label)
    expect(labels).toEqual(['7'])
    expect(svg.match(/<polyline /g)).toHaveLength(1)
    expect(svg.match(/<circle /g)).toHaveLength(1)
  })

  it('keeps the labels of neighbours apart', () => {
    const svg = chartSvg(chart(dots(['10', 100, 10], ['11', 100, 10], ['12', 100, 10], ['13', 900, 20])))
    const places = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*class="value"/g)].map(([, x, y]) =>
      [x, y].join(),
    )
    expect(new Set(places).size).toBe(4)
  })

  it('escapes names', () => {
    expect(chartSvg(chart(dots(['<b>', 1, 1], ['2', 2, 2])))).not.toContain('<b>')
  })
})
