import { escapeMarkup } from '../look/markup.js'
import type { ScatterChart } from './chart.js'
import { element, WIDTH } from './chart-kit.js'
import { scatterDrawing } from './scatter-chart.js'

/** A chart as the content of a `figure`: caption, SVG, and below it what the shapes stand for. */
export function chartFigure(chart: ScatterChart): string {
  const { unit, parts, bottom, legend, note } = scatterDrawing(chart)
  const viewBox = `0 0 ${WIDTH} ${bottom}`
  const frame = { class: 'plot', viewBox, 'text-anchor': 'middle', role: 'img', 'aria-label': chart.alt }
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

/** Styles of charts; theme.ts defines colours and sizes. Charts keep the size of the text around them. */
export const CHART_STYLE = `.chart{margin:0;padding:0;border:0;background:none;min-width:0;max-width:30rem}.chart figcaption{font-size:var(--t3);font-weight:600;margin-bottom:var(--s2)}.chart figcaption small{display:block;font-size:var(--t4);font-weight:400;color:var(--muted)}
.plot{display:block;width:100%;height:auto;font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}.plot text{stroke:none}.plot .value,.plot .limit-name{paint-order:stroke;stroke:var(--chart-paper,var(--paper));stroke-width:3px}.plot .value{fill:var(--ink)}
.grid{stroke:var(--line);stroke-width:1}.limit{stroke:var(--badink);stroke-width:1.5;stroke-dasharray:5 3}.plot .limit-name{fill:var(--badink)}.leader{stroke:var(--line);stroke-width:1}
.path{fill:none;stroke:var(--edge);stroke-width:1.5}.path.d1{stroke-dasharray:6 3}.path.d2{stroke-dasharray:2 3}.path.d3{stroke-dasharray:8 3 2 3}.path.award{stroke:var(--sectionink);stroke-width:2.5}
.dot{fill:var(--edge);stroke:var(--paper);stroke-width:1}.dot.award{fill:var(--sectionink)}.dot.open{fill:var(--paper);stroke:var(--edge);stroke-width:2}.ring{fill:none;stroke:var(--sectionink);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s4);margin:var(--s2) 0 0;padding:0;list-style:none;font-size:var(--t4);color:var(--muted)}.legend .key{width:18px;height:12px;margin-right:var(--s1);vertical-align:-1px}.chart .note{margin:var(--s1) 0 0;font-size:var(--t4);color:var(--muted)}
@media (max-width:40rem){.chart{max-width:none}.plot{font-size:14px}}`
