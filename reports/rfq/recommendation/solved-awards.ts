import { REQUIREMENT_TITLES } from '../../../src/domain/comparison/decision/award-requirements.js'
import type { SolvedAward, SwitchEntry } from '../../../src/domain/comparison/decision/switch-table-model.js'
import type { RequirementName } from '../../../src/domain/comparison/settings.js'
import { type Columns, columnsOf } from '../../layout/columns.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import { number } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import type { EntryKey, SolvedKey } from './recommendation-grids.js'

/** In place of the number of an award. */
export const NO_AWARD = 'none'
/** Digits of an award's number in the list of alternatives. */
export const ALTERNATIVE_DIGITS = 4

/** The numbers of the offers of an award, such as `,3,17,`, so that a formula finds each as `,3,`. */
export const membersText = ({ sequences }: Pick<SolvedAward, 'sequences'>): string => `,${sequences.join(',')},`

/** A formula for `3, 17`, from one for a text such as `,3,17,`. */
export const listOf = (members: string) => `SUBSTITUTE(MID(${members},2,MAX(0,LEN(${members})-2)),",",", ")`

/** The numbers of the alternatives, four digits each; empty if they were not computed. */
export const alternativesText = ({ alternatives }: SwitchEntry): string =>
  (alternatives ?? [])
    .map((award) => (award === null ? '-'.repeat(ALTERNATIVE_DIGITS) : String(award).padStart(ALTERNATIVE_DIGITS, '0')))
    .join('')

/** Whether the award is proven to be the cheapest. */
export const solutionText = (exact: boolean) => (exact ? 'proven' : 'best found')

/** Titles of requirements, joined by semicolons. */
export const titlesOf = (names: readonly RequirementName[]): string =>
  names.map((name) => REQUIREMENT_TITLES[name]).join('; ')

/** The awards solved ahead, by their index in `SwitchTable.awards`. */
export function solvedColumns({ recommendation, numbers, currency }: RfqLayout): Columns<SolvedAward, SolvedKey> {
  const { text, number } = columnsOf<SolvedAward, SolvedKey>(recommendation.solved)
  const money = numbers.money(currency)
  return {
    number: number('Award', (_, index) => index),
    members: text('Offers', membersText, { look: style.body }),
    tonnes: number('Tonnes', ({ tonnes }) => tonnes, numbers.volume),
    total: number(withCurrency('Total', currency), ({ total }) => total, money),
    reached: text('Reached', ({ reached }) => (reached ? 'yes' : 'no'), { look: style.body }),
    solution: text('Solution', ({ exact }) => solutionText(exact), { look: style.body }),
  }
}

/** The award of each combination of hard requirements and wanted volume that was solved ahead. */
export function entryColumns(layout: RfqLayout): Columns<SwitchEntry, EntryKey> {
  const { text, cells } = columnsOf<SwitchEntry, EntryKey>(layout.recommendation.entries)
  return {
    key: text('Key', ({ key }) => key, { look: style.body }),
    award: cells('Award', ({ award }) => number(award, style.plainNumber, NO_AWARD)),
    closest: cells('Closest award', ({ closest }) => number(closest, style.plainNumber, NO_AWARD)),
    waived: text('Requirements waived for it', ({ waived }) => titlesOf(waived), { look: style.body }),
    alternatives: text('Awards without each offer', alternativesText, { look: style.body }),
  }
}
