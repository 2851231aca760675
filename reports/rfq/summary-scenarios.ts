import { SCENARIOS } from '../../src/domain/comparison/decision/decision-model.js'
import { scenarioRows as rowsOfReport, type ScenarioRow } from '../../src/domain/comparison/decision/scenario-rows.js'
import { cellContent, referenceTo } from '../layout/cell-text.js'
import { type Column, columnsOf } from '../layout/columns.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { sectionRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { formula } from '../xlsx/cells.js'
import { scenarioColumns } from './award-sheet.js'
import type { RfqLayout, ScenarioKey } from './layout.js'

/** At most this many offers of a scenario are listed; of more, their number is given. */
const MAX_LISTED = 4
const NO_AWARD = 'No award'
const BELOW = 'Below the wanted volume. '

/** One row for each way to award, which refers to its row on `Award`. @param row first row of the block */
export function scenarioRows(layout: RfqLayout, row: number): { rows: RowPlan[]; marks: Mark[] } {
  const { report, scenarios, numbers, currency } = layout
  if (report.decision.scenarios.length === 0) return { rows: [], marks: [] }
  const columns = scenarioColumns(layout)
  const { text, arrayFormula } = columnsOf<ScenarioRow>()
  const signed = style.withNumberFormat(numbers.money(currency), '+#,##0;-#,##0;0')
  const fromAward = (key: ScenarioKey, header = columns[key].header, look?: style.Style): Column<ScenarioRow> => ({
    ...columns[key],
    header,
    cell: (award, index) => {
      const cell = columns[key].cell(award, index)
      const [source, tonnes] = [scenarios.cell(key, index), scenarios.cell('tonnes', index)]
      const shown = award.tonnes > 0 ? cell : { ...cell, value: null }
      const styled = look === undefined ? shown : { ...shown, style: look }
      return referenceTo(styled, `IF(N(${tonnes})>0,${source},"")`, '')
    },
  })
  const shown = rowsOfReport(report).slice(0, SCENARIOS.length)
  const waived: Column<ScenarioRow> = {
    ...columns.waived,
    header: 'Hard requirements waived, by offer no.',
    cell: (award, index) => {
      const cell = columns.waived.cell(award, index)
      const [source, tonnes, reached] = (['waived', 'tonnes', 'reached'] as const).map((key) =>
        scenarios.cell(key, index),
      )
      const expression = `IF(N(${tonnes})>0,IF(${reached}="no","${BELOW}","")&${source},"${NO_AWARD}")`
      const words = award.tonnes > 0 ? `${award.reached ? '' : BELOW}${cellContent(cell) ?? ''}` : NO_AWARD
      return formula(expression, words, cell.style)
    },
  }
  const table = [
    text('Scenario', ({ title }) => title, { look: style.boldWrapped }),
    text('', () => null, { look: style.body }),
    arrayFormula('Offers no.', style.asRight(style.wrapped), (award) => offersText(layout, award)),
    fromAward('tonnes', 'Tonnes', numbers.volume),
    fromAward('total'),
    fromAward('price'),
    fromAward('difference', 'Difference to recommended', signed),
    fromAward('constraint', 'Cost of the constraint', signed),
    fromAward('developers'),
    fromAward('excessTonnes'),
    fromAward('excessCost', 'Cost of the excess'),
    waived,
  ]
  const rows = [...tableRows(table, shown)].map((plan): RowPlan => ({ ...plan, merged: [[0, 1]] }))
  const [first, last] = [row + 2, row + 1 + shown.length]
  return {
    rows: [sectionRow('Scenarios'), ...rows],
    marks: [
      mark(`A${first}:B${first}`, is({ column: 'A' }, '=', 'Recommended'), 'good'),
      mark(`J${first}:K${last}`, is(here, '=', 0), 'muted'),
    ],
  }
}

/** The numbers of the awarded offers. */
function offersText({ award: { range }, report }: RfqLayout, { scenario, awarded }: ScenarioRow): [string, string] {
  const [tonnes, numbers] = [range(scenario), range('offer')]
  const count = `COUNTIF(${tonnes},">0")`
  const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${numbers},""),""))`
  const shown = report.offers.filter(({ id }) => (awarded.get(id) ?? 0) > 0).map(({ sequence }) => sequence)
  return [
    `IF(${count}>${MAX_LISTED},${count}&" offers",${list})`,
    shown.length > MAX_LISTED ? `${shown.length} offers` : shown.join(', '),
  ]
}
