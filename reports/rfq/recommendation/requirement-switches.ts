import { OFFER_REQUIREMENTS, REQUIREMENT_TITLES } from '../../../src/domain/comparison/decision/award-requirements.js'
import type { Candidate } from '../../../src/domain/comparison/decision/award-solver.js'
import type { RequirementSwitch } from '../../../src/domain/comparison/decision/decision-model.js'
import type { RequirementName } from '../../../src/domain/comparison/settings.js'
import { type Columns, columnsOf } from '../../layout/columns.js'
import { joinList } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import type { RequirementKey } from './recommendation-grids.js'

/** The requirements with their levels on `Inputs`, and the awarded offers that do not meet them. */
export function requirementColumns(layout: RfqLayout): Columns<RequirementSwitch, RequirementKey> {
  const { recommendation: grids, failures, report } = layout
  const { text, formula, arrayFormula } = columnsOf<RequirementSwitch, RequirementKey>(grids.requirements)
  const { award } = report.decision.recommendation
  const failing = (name: RequirementName, among: readonly Candidate[]) =>
    `,${among
      .filter(({ failed }) => failed.some((one) => one.name === name))
      .map(({ offer }) => offer.sequence)
      .join(',')},`
  const notRejected = failures.candidates.filter(({ reviewRejected }) => !reviewRejected)
  const [numbersOf, tonnes] = [grids.offers.range('offer'), grids.offers.range('tonnes')]
  const isOffers = (name: RequirementName) => (OFFER_REQUIREMENTS as readonly string[]).includes(name)
  return {
    title: text('Requirement', ({ title }) => title, { look: style.body }),
    level: formula('Level', style.body, ({ name, level }) => [`${requirementCell(name)}&""`, level]),
    failing: text('Offers that do not meet it', ({ name }) => failing(name, failures.candidates), { look: style.body }),
    failingUnlessHard: text(
      'Counted unless hard',
      ({ name }) => failing(name, name === 'reviewAccepted' ? notRejected : failures.candidates),
      { look: style.body },
    ),
    unmet: {
      ...arrayFormula('Awarded offers that do not meet it', style.body, ({ name }, at) => {
        const members = `IF(${at('level')}="hard",${at('failing')},${at('failingUnlessHard')})`
        const isUnmet = `ISNUMBER(SEARCH(","&${numbersOf}&",",${members}))`
        const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,IF(${isUnmet},${numbersOf},""),""),""))`
        const found = award?.unmet.find((one) => one.name === name)
        const shown = name === 'reviewNotRejected' ? list : `IF(${at('level')}="off","",${list})`
        const ids = report.offers.filter(({ id }) => found?.offerIds.includes(id)).map(({ sequence }) => sequence)
        if (isOffers(name)) return [shown, ids.join(', ')]
        const exceeds = `AND(N(MaxVolume)>0,SUM(${tonnes})>N(MaxVolume)*(1+1E-9))`
        return [`IF(${at('level')}="off","",IF(${exceeds},"${AS_A_WHOLE}",""))`, found === undefined ? '' : AS_A_WHOLE]
      }),
    },
  }
}

/** The award as a whole does not meet the requirement. */
const AS_A_WHOLE = 'award'

/** Titles of requirements, joined by semicolons. */
export const titlesOf = (names: readonly RequirementName[]) =>
  joinList(
    names.map((name) => REQUIREMENT_TITLES[name]),
    '; ',
  )
