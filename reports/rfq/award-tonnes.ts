import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import { round6 } from '../../src/domain/comparison/numbers.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { WANTED_BASES, type WantedBasis } from '../../src/domain/comparison/settings.js'
import { type At, type Columns, columnsOf } from '../layout/columns.js'
import { sectionRow, textRow, workingRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { inOrder, tableRows } from '../layout/table-sheet.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type Cell, formula, number, text } from '../xlsx/cells.js'
import { numberFromZero } from '../xlsx/validations.js'
import {
  SAVINGS_ROWS,
  SHEET_SCENARIOS,
  type SheetScenario,
  SOLVED_SCENARIOS,
  scenarioRows,
  solvedSet,
  unmetByOffer,
} from './award-scenario.js'
import { byWantedBasis, REACHED_VOLUME } from './award-sets.js'
import { requirementCell } from './inputs.js'
import { NO_OFFERS } from './label-tables.js'
import type { AwardKey, RfqLayout, ScenarioKey } from './layout.js'

/** Valid input in the column of the reader's own award. */
export const TONNES_VALIDATION = numberFromZero('Invalid tonnes', 'Enter the tonnes to award to this offer: 0 or more.')

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
  const { award, numbers, currency } = layout
  const ranked = `(${award.range('eligible')}="yes")`
  const volume = award.range('volume')
  const [volumes, totals] = [`ROUND(${volume},6)`, `ROUND(${award.range('total')},6)`]
  const largeEnough = `(${volume}>=${REACHED_VOLUME})`
  const enough = `${singleOfferCell(layout, 'tonnes')}>0`
  const candidates = `${ranked}*IF(${enough},${largeEnough},${volumes}=MAX(IF(${ranked},${volumes})))`
  const cheapest = `${candidates}*(${totals}=${singleOfferCell(layout, 'total')})`
  const largest = `${cheapest}*(${volumes}=${singleOfferCell(layout, 'price')})`
  const figures = singleOfferFigures(layout)
  const step = (expression: string, cached: number, look: style.Style) =>
    arrayFormula(`IF(ISNUMBER(WantedVolume),${expression},0)`, cached, look)
  return workingRow(
    undefined,
    text('Calculation for the cheapest single offer', style.body),
    text('Offers large enough; total; volume; offer no.; levels of requirements changed', style.body),
    undefined,
    step(`SUM(${ranked}*${largeEnough})`, figures.enough, style.plainNumber),
    step(`MIN(IF(${candidates},${totals}))`, figures.total, numbers.money(currency)),
    step(`MAX(IF(${cheapest},${volumes}))`, figures.volume, numbers.volume),
    step(`MIN(IF(${largest},${award.range('offer')}))`, figures.offer, style.plainNumber),
    formula(levelsChanged(layout), 0, style.plainNumber),
  )
}

function singleOfferFigures({ report }: RfqLayout) {
  const ranked = report.offers.filter(({ eligibility }) => eligibility.eligible)
  const wanted = report.rfq.wanted.volume
  const enough =
    wanted === null ? 0 : ranked.filter(({ metrics }) => (metrics.volume ?? 0) >= reachedFrom(wanted)).length
  const single = report.awards.find(({ scenario }) => scenario === 'cheapest-single')?.winners[0]
  const winner = report.offers.find(({ id }) => id === single?.offerId)
  return {
    enough,
    total: round6(winner?.compared.total ?? 0),
    volume: round6(winner?.metrics.volume ?? 0),
    offer: winner?.sequence ?? 0,
  }
}

/** Tonnes by offer and scenario; the last column is the reader's own award. */
export function* tonnesRows(layout: RfqLayout): Generator<RowPlan> {
  const { offers } = layout.report
  yield sectionRow('Tonnes awarded to each offer')
  yield* tableRows(inOrder(layout.award, tonnesColumns(layout)), offers)
  if (offers.length === 0) yield textRow(NO_OFFERS)
}

function tonnesColumns(layout: RfqLayout): Columns<OfferReport, AwardKey> {
  const { award, offers, numbers, currency } = layout
  const { text, number, formula, cells } = columnsOf<OfferReport, AwardKey>(award)
  const facts = offerFactsOf(layout)
  const { volume, total } = awardable
  const ifAwardable = (index: number, key: 'volume' | 'comparedTotal') =>
    `IF(AND(ISNUMBER(${offers.cell('volume', index)}),ISNUMBER(${offers.cell('comparedTotal', index)})),${offers.cell(key, index)},0)`
  const tonnes = SHEET_SCENARIOS.map((scenario, index) => [
    scenario,
    cells(
      scenario === 'own' ? 'Your own (t)' : `Scenario ${index + 1} (t)`,
      (offer, at) => tonnesCell(layout, offer, at, scenario, facts),
      { look: numbers.volume },
    ),
  ])
  return {
    offer: number('Offer no.', ({ sequence }) => sequence),
    label: text('Offer', (offer) => offer.label),
    developer: text('Developer', (offer) => offer.developer),
    eligible: formula('Ranked', style.centred, ({ eligibility }, _at, index) => [
      offers.cell('eligible', index),
      yesNo(eligibility.eligible),
    ]),
    volume: formula('Volume (t)', numbers.volume, (offer, _at, index) => [ifAwardable(index, 'volume'), volume(offer)]),
    total: formula(withCurrency('Total', currency), numbers.money(currency), (offer, _at, index) => [
      ifAwardable(index, 'comparedTotal'),
      total(offer),
    ]),
    price: formula(withCurrency('Price per tonne', currency, '/t'), numbers.price(currency), (offer, at) => [
      `IF(${at('volume')}>0,${at('total')}/${at('volume')},0)`,
      volume(offer) > 0 ? total(offer) / volume(offer) : 0,
    ]),
    orderPrice: formula('Price, 6 decimals', SIX_DECIMALS, (offer, at) => [
      `IF(${at('eligible')}="yes",ROUND(${at('price')},6),"")`,
      offer.eligibility.eligible ? round6(total(offer) / volume(offer)) : '',
    ]),
    order: formula('Price order', style.plainNumber, ({ id }, at) => [
      orderExpression(layout, at),
      facts.order.get(id) ?? '',
    ]),
    developerNo: number('Developer no.', ({ id }) => facts.developer.get(id)),
    unmet: text('Hard requirements not met', (offer) => facts.unmet.get(offer.id), { look: style.body }),
    ...(Object.fromEntries(tonnes) as Columns<OfferReport, SheetScenario>),
  }
}

/** Volume and total of an offer; 0 if one of them cannot be compared. */
const awardable = {
  volume: ({ metrics, compared }: OfferReport) => (compared.total === null ? 0 : (metrics.volume ?? 0)),
  total: ({ metrics, compared }: OfferReport) => (metrics.volume === null ? 0 : (compared.total ?? 0)),
}

const SIX_DECIMALS = style.withNumberFormat(style.plainNumber, '#,##0.000000')

function orderExpression({ award: { range } }: RfqLayout, at: At<AwardKey>): string {
  const own = at('orderPrice')
  const ties = `COUNTIFS(${range('orderPrice')},${own},${range('offer')},"<"&${at('offer')})`
  return `IF(ISNUMBER(${own}),RANK(${own},${range('orderPrice')},1)+${ties},"")`
}

/** Figures of the offers by id, computed once for the whole table. */
interface OfferFacts {
  /** Rank by nominal price, rounded to six decimals; ties go to the lower number. */
  order: ReadonlyMap<string, number>
  /** One number per developer; names are compared without case and surrounding blanks, as in the report. */
  developer: ReadonlyMap<string, number>
  unmet: ReadonlyMap<string, string>
  /** Tonnes by scenario and offer. */
  tonnes: ReadonlyMap<string, number>
  /** The RFQ's volumes for which the searched award contains an offer, by scenario and offer; absent: none. */
  sets: ReadonlyMap<string, ReadonlySet<WantedBasis>>
}

const keyOf = (scenario: SheetScenario, id: string) => `${scenario} ${id}`

function offerFactsOf({ report }: RfqLayout): OfferFacts {
  const lines = scenarioRows(report).flatMap(({ scenario, awarded }) =>
    [...awarded].map(([id, tonnes]) => [keyOf(scenario, id), tonnes] as const),
  )
  return {
    order: priceOrder(report.offers),
    developer: developerNumbers(report.offers),
    unmet: unmetByOffer(report),
    tonnes: new Map(lines),
    sets: setsOf(report),
  }
}

function setsOf(report: RfqLayout['report']): OfferFacts['sets'] {
  const sets = new Map<string, Set<WantedBasis>>()
  for (const scenario of SOLVED_SCENARIOS) {
    for (const basis of WANTED_BASES) {
      for (const offerId of solvedSet(report, scenario, basis)?.offerIds ?? []) {
        const key = keyOf(scenario, offerId)
        sets.set(key, (sets.get(key) ?? new Set()).add(basis))
      }
    }
  }
  return sets
}

function priceOrder(offers: readonly OfferReport[]): ReadonlyMap<string, number> {
  const ranked = offers
    .filter(({ eligibility }) => eligibility.eligible)
    .map(({ id, sequence, compared, metrics }) => ({
      id,
      sequence,
      price: round6((compared.total ?? 0) / (metrics.volume ?? 1)),
    }))
  ranked.sort((a, b) => a.price - b.price || a.sequence - b.sequence)
  return new Map(ranked.map(({ id }, index) => [id, index + 1]))
}

function developerNumbers(offers: readonly OfferReport[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  return new Map(
    offers.map((offer) => {
      const name = offer.developer?.trim().toLowerCase() ?? `\u0000${offer.id}`
      const number = numbers.get(name) ?? offer.sequence
      numbers.set(name, number)
      return [offer.id, number]
    }),
  )
}

function tonnesCell(
  layout: RfqLayout,
  offer: OfferReport,
  index: number,
  scenario: SheetScenario,
  facts: OfferFacts,
): Cell {
  const cached = facts.tonnes.get(keyOf(scenario, offer.id)) ?? 0
  const { volume } = layout.numbers
  if (scenario === 'own') return number(cached, style.asInput(volume))
  return formula(tonnesExpression(layout, offer, index, scenario, facts), cached, volume)
}

function tonnesExpression(
  layout: RfqLayout,
  offer: OfferReport,
  index: number,
  scenario: Exclude<SheetScenario, 'own'>,
  facts: OfferFacts,
): string {
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
      return `${volume}*${memberExpression(facts.sets.get(keyOf(scenario, offer.id)))}`
  }
}

const memberExpression = (bases: ReadonlySet<WantedBasis> | undefined): string =>
  byWantedBasis((basis) => (bases?.has(basis) ? '1' : '0'))
