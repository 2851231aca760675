import { CHART_COLOURS } from '../../presentation/chart.js'
import type { PriceHistory } from '../../views/rfq/timeline.js'
import { minute, plain, price } from './format.js'

const WIDTH = 640
const PLOT = { left: 62, right: 628, top: 34, bottom: 252 }
const LEGEND_LINE = 17

interface PriceHistoryChartProps {
  histories: readonly (PriceHistory & { label: string })[]
  /** Right end of the time axis. */
  until: string
}

/** The price per tonne of each offer over time: a step at each version. */
export function PriceHistoryChart({ histories, until }: PriceHistoryChartProps) {
  const points = histories.flatMap((history) => history.points)
  const times = [...points.map(({ at }) => Date.parse(at)), Date.parse(until)]
  const prices = points.map(({ pricePerTonne }) => pricePerTonne)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const [low, high] = widened(Math.min(...prices), Math.max(...prices))
  const x = (time: number) => PLOT.left + ((time - from) / (to - from || 1)) * (PLOT.right - PLOT.left)
  const y = (value: number) => PLOT.bottom - ((value - low) / (high - low)) * (PLOT.bottom - PLOT.top)
  const ticks = [0, 1, 2, 3, 4].map((step) => low + ((high - low) * step) / 4)
  const height = PLOT.bottom + 34 + Math.ceil(histories.length / 2) * LEGEND_LINE
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label="Price per tonne of each offer over time">
        <text x={WIDTH / 2} y="18" text-anchor="middle" class="chart-title">
          Price per tonne over time
        </text>
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={PLOT.left} x2={PLOT.right} y1={y(tick)} y2={y(tick)} class="grid" />
            <text x={PLOT.left - 8} y={y(tick) + 4} text-anchor="end">
              {price(Math.round(tick * 100) / 100)}
            </text>
          </g>
        ))}
        <text x={PLOT.left} y={PLOT.bottom + 16}>
          {minute(new Date(from).toISOString())}
        </text>
        <text x={PLOT.right} y={PLOT.bottom + 16} text-anchor="end">
          {minute(new Date(to).toISOString())}
        </text>
        {histories.map(({ offerId, label, points: own }, at) => {
          const colour = `#${CHART_COLOURS[at % CHART_COLOURS.length]}`
          const path = own.map(({ at: time, pricePerTonne }, index) => {
            const place = `${x(Date.parse(time)).toFixed(1)},${y(pricePerTonne).toFixed(1)}`
            return index === 0 ? `M${place}` : `H${x(Date.parse(time)).toFixed(1)}V${y(pricePerTonne).toFixed(1)}`
          })
          const [legendX, legendY] = [PLOT.left + (at % 2) * 290, PLOT.bottom + 38 + Math.floor(at / 2) * LEGEND_LINE]
          return (
            <g key={offerId}>
              <path d={`${path.join('')}H${PLOT.right}`} fill="none" stroke={colour} stroke-width="2" />
              {own.map(({ at: time, pricePerTonne }) => (
                <circle cx={x(Date.parse(time))} cy={y(pricePerTonne)} r="3.5" fill={colour}>
                  <title>{`${plain(label)}: ${price(pricePerTonne)} from ${minute(time)}`}</title>
                </circle>
              ))}
              <rect x={legendX} y={legendY - 10} width="11" height="11" fill={colour} />
              <text x={legendX + 17} y={legendY}>
                {plain(label).slice(0, 40)}
              </text>
            </g>
          )
        })}
      </svg>
    </figure>
  )
}

/** Limits of the axis with some room, also if all prices are equal. */
function widened(low: number, high: number): [number, number] {
  const room = (high - low || Math.abs(high) || 1) * 0.12
  return [low - room, high + room]
}
