import type { ScatterChart, ScatterSeries } from '../../src/presentation/chart.js'
import { headRow, right, sectionRow } from '../layout/rows.js'
import { type ChartAnchor, rangeOf, type SheetChart } from '../layout/sheet-chart.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, formula, number, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

/** Offers that are drawn; the labels of more would collide. */
const MAX_DOTS = 20

interface Point {
  label: string
  tonnes: number
  price: number
  /** Formulas of the figures, if they follow the inputs. */
  live: { tonnes: string; price: string } | null
}

/**
 * Tonnes and price per tonne of the efficient awards, joined, and of the offers, with its data in hidden rows. Efficient awards do not
 * follow the inputs; offers do.
 * @param row the first row of the data
 */
export function awardChart(
  layout: RfqLayout,
  row: number,
  anchor: ChartAnchor,
): { rows: RowPlan[]; charts: SheetChart[] } {
  const groups = pointGroups(layout)
  const points = groups.flatMap((group) => group.points)
  if (points.filter(({ live }) => live !== null).length < 2) return { rows: [], charts: [] }
  const { perTonne, numbers, price } = layout
  const rows = [
    sectionRow('Chart data'),
    headRow('', 'Point', '', right('Tonnes'), '', right(perTonne('Price per tonne'))),
    ...points.map(({ label, tonnes, price: each, live }): RowPlan => {
      const figure = (expression: string | undefined, value: number, own: style.Style): Cell =>
        expression === undefined
          ? number(value, own)
          : formula(`IF(ISNUMBER(${expression}),${expression},NA())`, value, own)
      return {
        cells: [
          undefined,
          text(label, style.body),
          undefined,
          figure(live?.tonnes, tonnes, numbers.volume),
          undefined,
          figure(live?.price, each, price),
        ],
      }
    }),
  ]
  let at = row + 2
  const series = groups.flatMap(({ points: own, ...options }): ScatterSeries[] => {
    const first = at
    at += own.length
    const range = <T>(column: number, cached: readonly T[]) =>
      rangeOf('Summary', [column, first], [column, first + cached.length - 1], cached)
    return [
      {
        name: range(2, [own[0]?.label ?? '']),
        x: range(
          4,
          own.map(({ tonnes }) => tonnes),
        ),
        y: range(
          6,
          own.map((one) => one.price),
        ),
        ...options,
      },
    ]
  })
  const unit = perTonne('Price per tonne')
  const chart: ScatterChart = {
    title: 'Efficient awards (line) and offers (by number)',
    alt: `Tonnes across, price per tonne up. Line: the efficient awards. Dots: offers by number. The recommended award is in another colour and labelled.`,
    xTitle: 'Tonnes',
    yTitle: unit,
    xFormat: '#,##0',
    yFormat: '#,##0.00',
    points: series,
  }
  return { rows: rows.map((plan) => ({ ...plan, working: true })), charts: [{ ...chart, anchor }] }
}

/** Points that form one series. */
type PointGroup = Omit<ScatterSeries, 'name' | 'x' | 'y'> & { points: Point[] }

/** The efficient awards, the recommended one, then each offer alone, so that it has a label of its own. */
function pointGroups({ report, offers }: RfqLayout): PointGroup[] {
  const efficient = report.decision.choices.filter(({ kind }) => kind === 'efficient')
  const pointOf = (
    label: string,
    { tonnes, pricePerTonne: price }: { tonnes: number; pricePerTonne: number },
  ): Point => ({
    ...{ label, tonnes, price },
    live: null,
  })
  const awards = efficient.map(({ award }) => pointOf('Efficient awards', award))
  const recommended = efficient.find(({ isRecommended }) => isRecommended)
  const dots = report.offers
    .slice(0, MAX_DOTS)
    .flatMap(({ id, sequence, scores, metrics, compared }, index): PointGroup[] => {
      const [tonnes, price] = [metrics.volume, compared.pricePerTonne]
      if (scores === null || tonnes === null || price === null) return []
      const live = { tonnes: offers.cell('volume', index), price: offers.cell('comparedPricePerTonne', index) }
      const isAwarded = (report.decision.awardedTonnes[id] ?? 0) > 0
      const meaning = isAwarded ? 'Offers in the award, by number' : 'Other offers, by number'
      return [{ shape: 'dot', awarded: isAwarded, meaning, points: [{ label: String(sequence), tonnes, price, live }] }]
    })
  return [
    ...(awards.length > 0 ? [{ shape: 'line' as const, meaning: 'Efficient awards', points: awards }] : []),
    ...(recommended === undefined
      ? []
      : [
          { shape: 'ring' as const, meaning: 'Recommended award', points: [pointOf('recommended', recommended.award)] },
        ]),
    ...dots,
  ]
}
