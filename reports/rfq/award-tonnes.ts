import { isExact } from '../../src/compare/awards/award-model.js'
import { developerKey } from '../../src/compare/awards/award-scenarios.js'
import { awardable, priceOrder, singleOfferSteps } from '../../src/compare/awards/award-steps.js'
import { type ScenarioRow, scenarioRows, unmetByOffer } from '../../src/compare/decision/scenario-rows.js'
import { isSolved, solvedSet } from '../../src/compare/decision/solved-scenarios.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { round6 } from '../../src/core/numbers.js'
import { WANTED_BASES } from '../../src/core/settings.js'
import { type At, type Column, type Columns, columnsOf } from '../layout/columns.js'
import { sectionRow, textRow, workingRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { inOrder, tableRows } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, formula, text } from '../xlsx/cells.js'
import { byWantedBasis, REACHED_VOLUME, requirementCell } from './inputs.js'
import { type AwardKey, type RfqLayout, SAVINGS_ROWS, type ScenarioKey, type SheetScenario } from './layout.js'
import { recommendationFact } from './recommendation/recommendation-block.js'

/** Row of the intermediate results for the cheapest single offer; in the columns of the scenarios. */
const singleOfferRow = ({ scenarios }: RfqLayout) => scenarios.lastRow + SAVINGS_ROWS + 3
/** Addresses of its results. */
const singleOfferCell = (layout: RfqLayout, key: ScenarioKey) =>
  `$${layout.scenarios.letter(key)}$${singleOfferRow(layout)}`

/** How many levels of requirements were changed, for formulas on any sheet. */
export const levelsChangedCell = (layout: RfqLayout) => `'Award'!${singleOfferCell(layout, 'excessCost')}`
const levelsChanged = ({ report }: RfqLayout) =>
  report.decision.requirements.map(({ name, level }) => `(${requirementCell(name)}<>"${level}")`).join('+')

/** Intermediate results for the cheapest single offer: lowest total of those large enough, then most tonnes, lowest number. */
export function singleOfferCalculationRow(layout: RfqLayout): RowPlan {
  const { award, numbers, money } = layout
  const ranked = `(${award.range('eligible')}="yes")`
  const volume = award.range('volume')
  const [volumes, totals] = [`ROUND(${volume},6)`, `ROUND(${award.range('total')},6)`]
  const largeEnough = `(${volume}>=${REACHED_VOLUME})`
  const enough = `${singleOfferCell(layout, 'tonnes')}>0`
  const candidates = `${ranked}*IF(${enough},${largeEnough},${volumes}=MAX(IF(${ranked},${volumes})))`
  const cheapest = `${candidates}*(${totals}=${singleOfferCell(layout, 'total')})`
  const largest = `${cheapest}*(${volumes}=${singleOfferCell(layout, 'price')})`
  const figures = singleOfferSteps(layout.report)
  const step = (expression: string, cached: number, cellStyle: style.Style) =>
    arrayFormula(`IF(ISNUMBER(WantedVolume),${expression},0)`, cached, cellStyle)
  return workingRow(
    undefined,
    text('Calculation for the cheapest single offer', style.body),
    text('Offers large enough; total; volume; offer no.; levels of requirements changed', style.body),
    undefined,
    step(`SUM(${ranked}*${largeEnough})`, figures.enough, style.plainNumber),
    step(`MIN(IF(${candidates},${totals}))`, figures.total, money),
    step(`MAX(IF(${cheapest},${volumes}))`, figures.volume, numbers.volume),
    step(`MIN(IF(${largest},${award.range('offer')}))`, figures.offer, style.plainNumber),
    formula(levelsChanged(layout), 0, style.plainNumber),
  )
}

/** Tonnes by offer and scenario: title, header and at least one row. The last column is the reader's own award. */
export function* tonnesRows(layout: RfqLayout): Generator<RowPlan> {
  const { offers } = layout.report
  yield sectionRow('Tonnes awarded to each offer')
  yield* tableRows(inOrder(layout.award, tonnesColumns(layout)), offers)
  if (offers.length === 0) yield textRow(layout.noOffers)
}

function tonnesColumns(layout: RfqLayout): Columns<OfferReport, AwardKey> {
  const { award, offers, numbers, money, price, inCurrency, perTonne, report } = layout
  const { text, number, formula } = columnsOf<OfferReport, AwardKey>(award)
  const [orders, unmet] = [priceOrder(report.offers), unmetByOffer(report)]
  // The number of a developer is that of its first offer.
  const developers = new Map(report.offers.map((offer) => [developerKey(offer), offer.sequence] as const).reverse())
  const volume = (offer: OfferReport) => awardable(offer).volume
  const total = (offer: OfferReport) => awardable(offer).total
  const ifAwardable = (key: 'volume' | 'comparedTotal', index: number) =>
    `IF(AND(ISNUMBER(${offers.cell('volume', index)}),ISNUMBER(${offers.cell('comparedTotal', index)})),${offers.cell(key, index)},0)`
  const order = (at: At<AwardKey>) => {
    const [own, prices] = [at('orderPrice'), award.range('orderPrice')]
    const ties = `COUNTIFS(${prices},${own},${award.range('offer')},"<"&${at('offer')})`
    return `IF(ISNUMBER(${own}),RANK(${own},${prices},1)+${ties},"")`
  }
  const tonnes = scenarioRows(report).map((row, index) => [row.scenario, scenarioColumn(layout, row, index + 1)])
  return {
    offer: number('Offer no.', ({ sequence }) => sequence),
    label: text('Offer', (offer) => offer.label),
    developer: text('Developer', (offer) => offer.developer),
    eligible: formula('Ranked', style.centred, ({ eligibility }, _at, index) => [
      offers.cell('eligible', index),
      yesNo(eligibility.eligible),
    ]),
    volume: formula('Volume (t)', numbers.volume, (offer, _at, index) => [ifAwardable('volume', index), volume(offer)]),
    total: formula(inCurrency('Total'), money, (offer, _, at) => [ifAwardable('comparedTotal', at), total(offer)]),
    price: formula(perTonne('Price per tonne'), price, (offer, at) => [
      `IF(${at('volume')}>0,${at('total')}/${at('volume')},0)`,
      volume(offer) > 0 ? total(offer) / volume(offer) : 0,
    ]),
    orderPrice: formula('Price, 6 decimals', SIX_DECIMALS, (offer, at) => [
      `IF(${at('eligible')}="yes",ROUND(${at('price')},6),"")`,
      offer.eligibility.eligible ? round6(total(offer) / volume(offer)) : '',
    ]),
    order: formula('Price order', style.plainNumber, ({ id }, at) => [order(at), orders.get(id) ?? '']),
    developerNo: number('Developer no.', (offer) => developers.get(developerKey(offer))),
    unmet: text('Hard requirements not met', (offer) => unmet.get(offer.id), { style: style.body }),
    ...(Object.fromEntries(tonnes) as Columns<OfferReport, SheetScenario>),
  }
}

/** The tonnes of each offer in a scenario. */
function scenarioColumn(layout: RfqLayout, { scenario, awarded }: ScenarioRow, number: number): Column<OfferReport> {
  const { numbers, report } = layout
  const { number: numberColumn, formula } = columnsOf<OfferReport>()
  const cached = ({ id }: OfferReport) => awarded.get(id) ?? 0
  if (scenario === 'own') return numberColumn('Your own (t)', cached, style.asInput(numbers.volume))
  const sets = isSolved(scenario) ? WANTED_BASES.map((basis) => solvedSet(report, scenario, basis)?.offerIds) : []
  const isMember = ({ id }: OfferReport) =>
    byWantedBasis((basis) => (sets[WANTED_BASES.indexOf(basis)]?.has(id) ? '1' : '0'))
  return formula(`Scenario ${number} (t)`, numbers.volume, (offer, _at, index) => [
    tonnesExpression(layout, scenario, index) ?? `${layout.award.at('volume', index)}*${isMember(offer)}`,
    cached(offer),
  ])
}

const SIX_DECIMALS = style.withNumberFormat(style.plainNumber, '#,##0.000000')

/** The tonnes of an offer in a scenario that formulas solve; null if it needs a search. */
function tonnesExpression(layout: RfqLayout, scenario: SheetScenario, index: number): string | null {
  const { award, scoring } = layout
  const volume = award.at('volume', index)
  const volumeBefore = (by: string, own: string) => `SUMIFS(${award.range('volume')},${by},"<"&${own})`
  const wanted = (expression: string) =>
    `IF(AND(${award.at('eligible', index)}="yes",ISNUMBER(WantedVolume)),${expression},0)`
  switch (scenario) {
    case 'recommended':
      return `N(${layout.recommendation.offers.cell('tonnes', index)})`
    case 'cheapest-single':
      return wanted(`IF(${award.at('offer', index)}=${singleOfferCell(layout, 'excessTonnes')},${volume},0)`)
    case 'cheapest-divisible': {
      const remaining = `(WantedVolume-${volumeBefore(award.range('order'), award.at('order', index))})`
      return wanted(`IF(${remaining}>WantedVolume*1E-9,MIN(${volume},${remaining}),0)`)
    }
    case 'best-score': {
      const awardedBefore = volumeBefore(scoring.range('rank'), scoring.cell('rank', index))
      return wanted(`IF(${awardedBefore}>=${REACHED_VOLUME},0,${volume})`)
    }
    default:
      return null
  }
}

/** Replaces the solution of a searched award when inputs it depends on have changed. */
export const OUTDATED = 'outdated'

/** The condition under which the award shown for a scenario is not the best one for the current inputs. */
export function outdatedWhen(layout: RfqLayout, scenario: SheetScenario): string {
  if (scenario === 'recommended') return `${recommendationFact(layout, 'problem').cell}<>""`
  if (scenario === 'cheapest-regardless') return 'AwardRatesChanged>0'
  return isExact(scenario) ? 'RatesChanged>0' : `AwardRatesChanged+${levelsChangedCell(layout)}>0`
}
