import { AWARD_SCENARIOS, type AwardScenario, EXACT_SCENARIOS } from '../../src/domain/comparison/awards/award-model.js'
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
import { awardFor, byWantedBasis, REACHED_VOLUME } from './award-sets.js'
import { NO_OFFERS } from './label-tables.js'
import type { AwardKey, RfqLayout, ScenarioKey } from './layout.js'

/** Valid input in the column of the reader's own award. */
export const TONNES_VALIDATION = numberFromZero('Invalid tonnes', 'Enter the tonnes to award to this offer: 0 or more.')

/** Row of the intermediate results for the cheapest single offer; in the columns of the scenarios. */
const singleOfferRow = ({ scenarios }: RfqLayout) => scenarios.lastRow + 3
/** Addresses of its results. */
const singleOfferCell = (layout: RfqLayout, key: ScenarioKey) =>
  `$${layout.scenarios.letter(key)}$${singleOfferRow(layout)}`

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
    text('Calculation for scenario 1', style.body),
    text('Offers large enough; total; volume; offer no.', style.body),
    undefined,
    step(`SUM(${ranked}*${largeEnough})`, figures.enough, style.plainNumber),
    step(`MIN(IF(${candidates},${totals}))`, figures.total, numbers.money(currency)),
    step(`MAX(IF(${cheapest},${volumes}))`, figures.volume, numbers.volume),
    step(`MIN(IF(${largest},${award.range('offer')}))`, figures.offer, style.plainNumber),
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
  const ifRanked = (at: At<AwardKey>, expression: string, otherwise: string) =>
    `IF(${at('eligible')}="yes",${expression},${otherwise})`
  const ranked = ({ eligibility }: OfferReport, figure: number | null) => (eligibility.eligible ? (figure ?? 0) : 0)
  const volume = (offer: OfferReport) => ranked(offer, offer.metrics.volume)
  const total = (offer: OfferReport) => ranked(offer, offer.compared.total)
  const tonnes = AWARD_SCENARIOS.map((scenario, index) => [
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
    volume: formula('Volume (t)', numbers.volume, (offer, at, index) => [
      ifRanked(at, offers.cell('volume', index), '0'),
      volume(offer),
    ]),
    total: formula(withCurrency('Total', currency), numbers.money(currency), (offer, at, index) => [
      ifRanked(at, offers.cell('comparedTotal', index), '0'),
      total(offer),
    ]),
    price: formula(withCurrency('Price per tonne', currency, '/t'), numbers.price(currency), (offer, at) => [
      `IF(${at('volume')}>0,${at('total')}/${at('volume')},0)`,
      volume(offer) > 0 ? total(offer) / volume(offer) : 0,
    ]),
    orderPrice: formula('Price, 6 decimals', SIX_DECIMALS, (offer, at) => [
      ifRanked(at, `ROUND(${at('price')},6)`, '""'),
      offer.eligibility.eligible ? round6(total(offer) / volume(offer)) : '',
    ]),
    order: formula('Price order', style.plainNumber, ({ id }, at) => [
      orderExpression(layout, at),
      facts.order.get(id) ?? '',
    ]),
    developerNo: number('Developer no.', ({ id }) => facts.developer.get(id)),
    ...(Object.fromEntries(tonnes) as Columns<OfferReport, AwardScenario>),
  }
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
  /** Tonnes by scenario and offer. */
  tonnes: ReadonlyMap<string, number>
  /** The RFQ's volumes for which the searched award contains an offer, by scenario and offer; absent: none. */
  sets: ReadonlyMap<string, ReadonlySet<WantedBasis>>
}

const keyOf = (scenario: AwardScenario, id: string) => `${scenario} ${id}`

function offerFactsOf({ report }: RfqLayout): OfferFacts {
  const lines = report.awards.flatMap(({ scenario, winners }) => winners.map((line) => ({ scenario, line })))
  return {
    order: priceOrder(report.offers),
    developer: developerNumbers(report.offers),
    tonnes: new Map(lines.map(({ scenario, line }) => [keyOf(scenario, line.offerId), line.tonnes])),
    sets: setsOf(report),
  }
}

function setsOf(report: RfqLayout['report']): OfferFacts['sets'] {
  const sets = new Map<string, Set<WantedBasis>>()
  for (const scenario of EXACT_SCENARIOS) {
    for (const basis of WANTED_BASES) {
      for (const { offerId } of awardFor(report, scenario, basis).winners) {
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
  scenario: AwardScenario,
  facts: OfferFacts,
): Cell {
  const cached = facts.tonnes.get(keyOf(scenario, offer.id)) ?? 0
  const { volume } = layout.numbers
  if (scenario === 'own') return number(cached, style.asInput(volume))
  const ranked = `${layout.award.at('eligible', index)}="yes"`
  return formula(`IF(${ranked},${tonnesExpression(layout, offer, index, scenario, facts)},0)`, cached, volume)
}

function tonnesExpression(
  layout: RfqLayout,
  offer: OfferReport,
  index: number,
  scenario: Exclude<AwardScenario, 'own'>,
  facts: OfferFacts,
): string {
  const { award, scoring } = layout
  const volume = award.at('volume', index)
  const volumeBefore = (by: string, own: string) => `SUMIFS(${award.range('volume')},${by},"<"&${own})`
  const wanted = (expression: string) => `IF(ISNUMBER(WantedVolume),${expression},0)`
  switch (scenario) {
    case 'cheapest-single':
      return wanted(`IF(${award.at('offer', index)}=${singleOfferCell(layout, 'coverage')},${volume},0)`)
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
