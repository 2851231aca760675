import { columnIndex, type Grid, keys } from '../layout/grid.js'
import { guardSheet, type Withheld } from '../layout/guard.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type RfqLayout, SHEET_SCENARIOS } from './layout.js'

/** Shown in place of results while an input is invalid. */
const CHECK_INPUTS = 'check Inputs'
export const INVALID_INPUT: Withheld = { when: 'InputErrors>0', words: CHECK_INPUTS }
const INVALID_OWN_AWARD: Withheld = { when: 'InputErrors+OwnAwardErrors>0', words: CHECK_INPUTS }

/** Columns calculated from the documents alone, whatever the inputs. */
const OFFER_COLUMNS = keys(
  'statedPrice daysToExpiry lines usable sumVolume sumValue volumeDifference totalDifference basis volume total vwap',
  'pricePerTonne firstDelivery lastDelivery oldestVintage newestVintage meanWait meanVintage onTimeShare prepaid prepaidShare',
)
const DELIVERY_COLUMNS = keys('total days fromYear tonneDays onTime tonneYears')
const PREPAYMENT_COLUMNS = keys('days')

/**
 * A sheet whose results are withheld while an input they depend on is invalid: they show “check Inputs”, not a figure
 * calculated with a negative weight or a text. Error values never show. `Inputs` and the master check guard their own cells.
 */
export function guardInputs(plan: SheetPlan, layout: RfqLayout): SheetPlan {
  const independent = independentColumns(plan.name, layout)
  const { scenarios } = layout
  const own = scenarios.firstRow + SHEET_SCENARIOS.indexOf('own')
  const first = plan.name === 'Checks' ? layout.offers.firstRow : 1
  return guardSheet(plan, (row, column) => {
    if (plan.name === 'Inputs' || independent.has(column) || row < first) return null
    const isOwn =
      plan.name === 'Award' && row === own && column < columnIndex(layout.recommendation.facts.letter('label'))
    return isOwn ? INVALID_OWN_AWARD : INVALID_INPUT
  })
}

function independentColumns(sheet: string, { offers, deliveries, prepayments }: RfqLayout): ReadonlySet<number> {
  const columns = <Key extends string>(grid: Grid<Key>, of: readonly Key[]) =>
    new Set(of.map((key) => columnIndex(grid.letter(key))))
  switch (sheet) {
    case 'Offers':
      return columns(offers, OFFER_COLUMNS)
    case 'Deliveries':
      return columns(deliveries, DELIVERY_COLUMNS)
    case 'Prepayments':
      return columns(prepayments, PREPAYMENT_COLUMNS)
    default:
      return new Set()
  }
}
