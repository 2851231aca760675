import type { Scenario } from '../../src/domain/comparison/decision/decision-model.js'
import { formatPercent } from '../../src/domain/comparison/number-format.js'
import { columnsOf } from '../layout/columns.js'
import { all, here, is, isNumber, type Mark, mark } from '../layout/marks.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import { withCurrency } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { formula } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'

/** At most this many offers of a scenario are listed; of more, their number is given. */
const MAX_LISTED = 4

/** One row for each way to award. @param row first row of the block */
export function scenarioRows(layout: RfqLayout, row: number): { rows: RowPlan[]; marks: Mark[] } {
  const { report, numbers, currency } = layout
  if (report.decision.scenarios.length === 0) return { rows: [], marks: [] }
  const { text, number } = columnsOf<Scenario>()
  const money = numbers.money(currency)
  const signed = style.withNumberFormat(money, '+#,##0;-#,##0;0')
  const award =
    <Value>(value: (award: NonNullable<Scenario['award']>) => Value) =>
    (scenario: Scenario) =>
      scenario.award === null ? null : value(scenario.award)
  const columns = [
    text('Scenario', ({ title }) => title, { look: style.boldWrapped }),
    text('', () => null, { look: style.body }),
    text(
      'Offers no.',
      award(({ offers }) => offersText(offers)),
      { look: style.asRight(style.wrapped) },
    ),
    number(
      'Tonnes',
      award(({ tonnes }) => tonnes),
      numbers.volume,
    ),
    number(
      withCurrency('Total', currency),
      award(({ total }) => total),
      style.asBold(money),
    ),
    number(
      withCurrency('Price per tonne', currency, '/t'),
      award(({ pricePerTonne }) => pricePerTonne),
      numbers.price(currency),
    ),
    number('Difference to recommended', ({ difference }) => difference, signed),
    number('Cost of the constraint', ({ constraint }) => constraint?.cost, signed),
    number(
      'Developers',
      award(({ developers }) => developers),
      style.integer,
    ),
    number(
      'Excess tonnes',
      award(({ excessTonnes }) => excessTonnes),
      numbers.volume,
    ),
    number(
      'Cost of the excess',
      award(({ excessCost }) => excessCost),
      money,
    ),
    text('Hard requirements waived', waivedText),
  ]
  const { scenarios } = report.decision
  const rows = [...tableRows(columns, scenarios)].map((plan): RowPlan => ({ ...plan, merged: [[0, 1]] }))
  const [first, last] = [row + 2, row + 1 + scenarios.length]
  return {
    rows: [titleRow, ...rows],
    marks: [
      mark(`A${first}:B${first}`, is({ column: 'A' }, '=', 'Recommended'), 'good'),
      mark(`L${first}:L${last}`, is(here, '=', MEETS_ALL), 'good'),
      mark(`J${first}:K${last}`, all(isNumber(here), is(here, '=', 0)), 'muted'),
    ],
  }
}

const TITLE = 'Scenarios'
const titleRow: RowPlan = {
  role: 'section',
  cells: [
    formula(
      `IF(InputsChanged>0,"Scenarios for the settings of this report; those on Award follow Inputs","${TITLE}")`,
      TITLE,
      style.section,
    ),
  ],
  height: 18,
}

const MEETS_ALL = 'None'

function waivedText({ award, waived, words }: Scenario): string {
  if (award === null) return words
  const short = award.reached ? '' : `Only ${formatPercent(award.coverage ?? 0)} of the wanted volume. `
  return `${short}${waived.length === 0 ? MEETS_ALL : waived.join('; ')}`
}

const offersText = (offers: readonly { sequence: number }[]) =>
  offers.length > MAX_LISTED
    ? `${offers.length} offers`
    : offers
        .map(({ sequence }) => sequence)
        .sort((a, b) => a - b)
        .join(', ')
