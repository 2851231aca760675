import { type AwardScenario, EXACT_SCENARIOS } from '../../src/domain/comparison/awards/award-model.js'
import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import { round6 } from '../../src/domain/comparison/numbers.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { WANTED_BASES, type WantedBasis } from '../../src/domain/comparison/settings.js'
import { bodyRow, headRow, right, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, formula, number, text } from '../xlsx/cells.js'
import { numberFromZero } from '../xlsx/validations.js'
import { awardFor, byWantedBasis, REACHED_VOLUME } from './award-sets.js'
import { NO_OFFERS } from './label-tables.js'
import { type AwardKey, FIRST_SCENARIO_ROW, type RfqLayout } from './layout.js'

/** Valid input in the column of the reader's own award. */
export const TONNES_VALIDATION = numberFromZero('Invalid tonnes', 'Enter the tonnes to award to this offer: 0 or more.')

/** Intermediate results for the cheapest single offer: lowest total of those large enough, then most tonnes, lowest number. */
export function singleOfferCalculationRow(layout: RfqLayout): RowPlan {
  const row = FIRST_SCENARIO_ROW + layout.report.awards.length + 2
  const { award } = layout
  const ranked = `(${award.range('eligible')}="yes")`
  const volume = award.range('volume')
  const [volumes, totals] = [`ROUND(${volume},6)`, `ROUND(${award.range('total')},6)`]
  const largeEnough = `(${volume}>=${REACHED_VOLUME})`
  const candidates = `${ranked}*IF($E$${row}>0,${largeEnough},${volumes}=MAX(IF(${ranked},${volumes})))`
  const figures = singleOfferFigures(layout)
  const step = (expression: string, cached: number, column: string, style: style.Style) =>
    arrayFormula(`IF(ISNUMBER(WantedVolume),${expression},0)`, cached, `${column}${row}`, style)
  const sameTotal = `*(${totals}=$F$${row})`
  const sameVolume = `*(${volumes}=$G$${row})`
  return {
    cells: [
      blank(),
      text('Calculation for scenario 1', style.body),
      text('Offers large enough; total; volume; offer no.', style.body),
      blank(),
      step(`SUM(${ranked}*${largeEnough})`, figures.enough, 'E', style.plainNumber),
      step(`MIN(IF(${candidates},${totals}))`, figures.total, 'F', layout.numbers.money(layout.currency)),
      step(`MAX(IF(${candidates}${sameTotal},${volumes}))`, figures.volume, 'G', layout.numbers.volume),
      step(
        `MIN(IF(${candidates}${sameTotal}${sameVolume},${award.range('offer')}))`,
        figures.offer,
        'H',
        style.plainNumber,
      ),
    ],
  }
}

/** Address of the number of the cheapest single offer. */
const singleWinnerCell = (layout: RfqLayout) => `$H$${FIRST_SCENARIO_ROW + layout.report.awards.length + 2}`

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
  yield offerHeader(layout)
  const facts = offerFactsOf(layout)
  for (const [index, offer] of offers.entries()) yield bodyRow(...offerCells(layout, offer, index, facts))
  if (offers.length === 0) yield textRow(NO_OFFERS)
}

function offerHeader({ report, currency }: RfqLayout): RowPlan {
  const titles = report.awards.map(({ scenario }, index) =>
    scenario === 'own' ? 'Your own (t)' : `Scenario ${index + 1} (t)`,
  )
  const figures = [
    'Volume (t)',
    withCurrency('Total', currency),
    withCurrency('Price per tonne', currency, '/t'),
    'Price, 6 decimals',
    'Price order',
    'Developer no.',
    ...titles,
  ]
  return headRow('Offer no.', 'Offer', 'Developer', 'Ranked', ...figures.map(right))
}

function offerCells(layout: RfqLayout, offer: OfferReport, index: number, facts: OfferFacts): (Cell | undefined)[] {
  const { award, offers, numbers, currency } = layout
  const at = (key: AwardKey) => award.at(key, index)
  const ranked = offer.eligibility.eligible
  const volume = ranked ? (offer.metrics.volume ?? 0) : 0
  const total = ranked ? (offer.compared.total ?? 0) : 0
  const isRanked = `${at('eligible')}="yes"`
  const cells: Record<Exclude<AwardKey, AwardScenario>, Cell> = {
    offer: number(offer.sequence, style.plainNumber),
    label: text(offer.label, style.wrapped),
    developer: text(offer.developer, style.wrapped),
    eligible: formula(offers.cell('eligible', index), yesNo(ranked), style.centred),
    volume: formula(`IF(${isRanked},${offers.cell('volume', index)},0)`, volume, numbers.volume),
    total: formula(`IF(${isRanked},${offers.cell('comparedTotal', index)},0)`, total, numbers.money(currency)),
    price: formula(
      `IF(${at('volume')}>0,${at('total')}/${at('volume')},0)`,
      volume > 0 ? total / volume : 0,
      numbers.price(currency),
    ),
    orderPrice: formula(
      `IF(${isRanked},ROUND(${at('price')},6),"")`,
      ranked ? round6(total / volume) : '',
      SIX_DECIMALS,
    ),
    order: formula(orderExpression(layout, index), facts.order.get(offer.id) ?? '', style.plainNumber),
    developerNo: number(facts.developer.get(offer.id), style.plainNumber),
  }
  return award.keys.map((key) =>
    key in cells ? cells[key as keyof typeof cells] : tonnesCell(layout, offer, index, key as AwardScenario, facts),
  )
}

const SIX_DECIMALS = style.withNumberFormat(style.plainNumber, '#,##0.000000')

function orderExpression({ award }: RfqLayout, index: number): string {
  const own = award.at('orderPrice', index)
  const ties = `COUNTIFS(${award.range('orderPrice')},${own},${award.range('offer')},"<"&${award.at('offer', index)})`
  return `IF(ISNUMBER(${own}),RANK(${own},${award.range('orderPrice')},1)+${ties},"")`
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
      return wanted(`IF(${award.at('offer', index)}=${singleWinnerCell(layout)},${volume},0)`)
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
