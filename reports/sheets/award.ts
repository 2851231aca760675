import type ExcelJS from 'exceljs'
import { awardsOf } from '../../src/domain/comparison/awards.js'
import type { Award, AwardScenario, OfferReport } from '../../src/domain/comparison/model.js'
import { isRanked } from '../../src/domain/comparison/scores.js'
import type { WantedBasis } from '../../src/domain/comparison/settings.js'
import { AWARD_SCENARIO_ROW, type AwardKey, type Book, headingOf } from '../book.js'
import { arrayFormula, blank, type Cell, formula, number, text } from '../cells.js'
import type { RowPlan, SheetPlan } from '../plan.js'
import {
  asInput,
  asStrong,
  body,
  centred,
  formatted,
  head,
  headRight,
  marks,
  percent,
  plainNumber,
  type Style,
  section,
  strongWrapped,
  whole,
  wrapped,
} from '../styles.js'
import { fittedRow, fixedWidths, gap, headingRows } from '../table.js'
import { inCurrency, listed, yesNo } from '../words.js'

const NOTE =
  'Who would be awarded what. Awards minimise what is paid, undiscounted, and go to ranked offers only. The last column of tonnes is yours to fill.'
const WIDTHS = [9, 34, 36, 10, 14, 18, 15, 13, 18, 18, 14, 13, 14, 14, 16, 14, 12, 80]
/** A volume short by a billionth, the noise of sums, is reached. */
const REACHED = '(1-1E-9)'
const TARGET = `WantedVolume*${REACHED}`
const MOST_NAMED = 12
const NONE = '–'
/** Scenarios no cell formula can solve: their sets are those the report found. */
const SETS: readonly AwardScenario[] = ['cheapest-combination', 'two-developers', 'meets-requirements']

/** `Award`: scenarios above, tonnes by offer below. */
export function awardSheet(book: Book): SheetPlan {
  const { award } = book
  const own = award.letter('own')
  const count = book.report.awards.length
  return {
    name: 'Award',
    ...fixedWidths(WIDTHS, () => awardRows(book)),
    rows: () => awardRows(book),
    frozen: { rows: 3, columns: 2 },
    filter: `A${award.headRow}:${award.letter('own')}${award.lastRow}`,
    validations: [{ address: `${own}${award.firstRow}:${own}${award.lastRow}`, rule: TONNES }],
    rules: [
      {
        ref: `D${AWARD_SCENARIO_ROW}:D${AWARD_SCENARIO_ROW + count - 1}`,
        rules: [
          { type: 'expression', priority: 1, formulae: [`D${AWARD_SCENARIO_ROW}="yes"`], style: marks.good },
          { type: 'expression', priority: 2, formulae: [`D${AWARD_SCENARIO_ROW}="no"`], style: marks.warn },
        ],
      },
      {
        ref: `${award.letter('cheapest-single')}${award.firstRow}:${award.letter('best-score')}${award.lastRow}`,
        rules: [
          {
            type: 'expression',
            priority: 3,
            formulae: [`${award.letter('cheapest-single')}${award.firstRow}>0`],
            style: marks.good,
          },
          {
            type: 'expression',
            priority: 4,
            formulae: [`${award.letter('cheapest-single')}${award.firstRow}=0`],
            style: marks.muted,
          },
        ],
      },
    ],
    print: { titleColumns: 'A:B', pagesWide: 2, from: AWARD_SCENARIO_ROW - 1, to: award.lastRow },
  }
}

const TONNES: ExcelJS.DataValidation = {
  type: 'decimal',
  operator: 'greaterThanOrEqual',
  formulae: [0],
  allowBlank: true,
  showErrorMessage: true,
  errorStyle: 'stop',
  errorTitle: 'Not a tonnage',
  error: 'Tonnes to award to this offer: 0 or more.',
}

function* awardRows(book: Book): Generator<RowPlan> {
  const { report } = book
  yield* headingRows(headingOf(book, 'Award scenarios', NOTE))
  yield* gap(1)
  yield scenarioHeader(book)
  for (const [index, award] of report.awards.entries()) yield scenarioRow(book, award, index)
  yield* gap(1)
  yield provenRow(book)
  yield workingsRow(book)
  yield { cells: [text('Tonnes awarded to each offer', section)], height: 18 }
  yield offerHeader(book)
  const facts = factsOf(report)
  for (const [index, offer] of report.offers.entries()) yield offerRow(book, offer, index, facts)
  if (report.offers.length === 0) yield { cells: [text('No offer is known.', body)] }
}

function scenarioHeader({ currency }: Book): RowPlan {
  const words = ['No.', 'Scenario', 'Awarded to', 'Reached']
  const figures = [
    'Tonnes',
    inCurrency('Total', currency),
    inCurrency('Blended price', currency, '/t'),
    'Coverage',
    inCurrency('Budget', currency),
    inCurrency('Saving against the budget', currency),
    'Saving, share',
    'Offers',
    'Developers',
    'Tonnes over the maximum',
  ]
  const cells = [
    ...words.map((word) => text(word, head)),
    ...figures.map((figure) => text(figure, headRight)),
    blank(head),
    blank(head),
    blank(head),
    text('Rule, and how it was solved', head),
  ]
  return fittedRow(cells, WIDTHS)
}

function scenarioRow(book: Book, award: Award, index: number): RowPlan {
  const row = AWARD_SCENARIO_ROW + index
  const cells = [
    number(index + 1, plainNumber),
    text(award.title, strongWrapped),
    winnersCell(book, award, row),
    formula(
      `IF(ISNUMBER(WantedVolume),IF(AND(E${row}>0,E${row}>=${TARGET}),"yes","no"),"no")`,
      yesNo(award.reached),
      centred,
    ),
    ...figureCells(book, award, row),
    blank(body),
    blank(body),
    blank(body),
    text(`${award.rule} ${isSet(award.scenario) ? 'As written: ' : ''}${award.words}`, wrapped),
  ]
  return fittedRow(cells, WIDTHS)
}

const isSet = (scenario: AwardScenario) => SETS.includes(scenario)

function winnersCell(book: Book, award: Award, row: number): Cell {
  const tonnes = book.award.range(award.scenario)
  const count = `COUNTIF(${tonnes},">0")`
  const names = `_xlfn.TEXTJOIN("; ",TRUE,IF(${tonnes}>0,${book.award.range('label')},""))`
  const expression = `IF(${count}=0,"${NONE}",IF(${count}>${MOST_NAMED},${count}&" offers",${names}))`
  return arrayFormula(expression, winnerWords(book, award), `C${row}`, wrapped)
}

/** In the order of the table below. */
function winnerWords({ report }: Book, { winners }: Award): string {
  const taken = new Set(winners.map(({ offerId }) => offerId))
  if (taken.size === 0) return NONE
  if (taken.size > MOST_NAMED) return `${taken.size} offers`
  return listed(
    report.offers.filter(({ id }) => taken.has(id)).map(({ label }) => label),
    '; ',
  )
}

function figureCells(book: Book, award: Award, row: number): Cell[] {
  const { numbers, currency } = book
  const money = numbers.money(currency)
  const tonnes = book.award.range(award.scenario)
  const developers = book.award.range('developerNo')
  const spread = `SUM(--(FREQUENCY(IF(${tonnes}>0,${developers}),${developers})>0))`
  return [
    formula(`SUM(${tonnes})`, award.tonnes, asStrong(numbers.volume)),
    formula(`SUMPRODUCT(${tonnes},${book.award.range('price')})`, award.total, asStrong(money)),
    formula(`IF(E${row}>0,F${row}/E${row},NA())`, award.blendedPrice, numbers.price(currency)),
    formula(`IF(ISNUMBER(WantedVolume),MIN(1,E${row}/WantedVolume),NA())`, award.coverage, percent),
    formula(`IF(ISNUMBER(MaxPrice),MaxPrice*E${row},NA())`, award.budget, money),
    formula(`IFERROR(I${row}-F${row},NA())`, award.saving, money),
    formula(`IFERROR(J${row}/I${row},NA())`, award.savingShare, percent),
    formula(`COUNTIF(${tonnes},">0")`, award.winners.length, whole),
    arrayFormula(`IF(COUNTIF(${tonnes},">0")=0,0,${spread})`, award.developers, `M${row}`, whole),
    formula(`IF(ISNUMBER(MaxVolume),MAX(0,E${row}-MaxVolume),0)`, award.tonnesOverMaximum, numbers.volume),
  ]
}

/** Says whether the sets that only the report can find still hold. */
function provenRow(book: Book): RowPlan {
  const rows = book.report.awards.flatMap(({ scenario }, index) => (isSet(scenario) ? [index + 1] : []))
  const bound = AWARD_SCENARIO_ROW + book.report.awards.findIndex(({ scenario }) => scenario === 'cheapest-divisible')
  const kept = `Scenarios ${rows.join(', ')} hold the sets found for the inputs as written; a changed wanted volume is followed.`
  const stale = `Rates or expiry were changed on Inputs: scenarios ${rows.join(', ')} keep the sets found for the inputs as written. No set can cost less than scenario ${bound - AWARD_SCENARIO_ROW + 1}. Make the report again for the least.`
  return fittedRow(
    [blank(), blank(), formula(`IF(RatesChanged>0,"${stale}","${kept}")`, kept, { ...body, alignment: {} })],
    [],
  )
}

/** The cheapest single offer is found in steps: least total of those that reach, most tonnes, lowest number. */
function workingsRow(book: Book): RowPlan {
  const row = AWARD_SCENARIO_ROW + book.report.awards.length + 2
  const { award } = book
  const ranked = `(${award.range('eligible')}="yes")`
  const volume = award.range('volume')
  const [volumes, totals] = [`ROUND(${volume},6)`, `ROUND(${award.range('total')},6)`]
  const enough = `(${volume}>=${TARGET})`
  const among = `${ranked}*IF($E$${row}>0,${enough},${volumes}=MAX(IF(${ranked},${volumes})))`
  const figures = singleWorkings(book)
  const step = (expression: string, cached: number, column: string, style: Style) =>
    arrayFormula(`IF(ISNUMBER(WantedVolume),${expression},0)`, cached, `${column}${row}`, style)
  const sameTotal = `*(${totals}=$F$${row})`
  const sameVolume = `*(${volumes}=$G$${row})`
  return {
    cells: [
      blank(),
      text('Workings of scenario 1', body),
      text('offers that reach; total; volume; offer no.', body),
      blank(),
      step(`SUM(${ranked}*${enough})`, figures.enough, 'E', plainNumber),
      step(`MIN(IF(${among},${totals}))`, figures.total, 'F', book.numbers.money(book.currency)),
      step(`MAX(IF(${among}${sameTotal},${volumes}))`, figures.volume, 'G', book.numbers.volume),
      step(`MIN(IF(${among}${sameTotal}${sameVolume},${award.range('offer')}))`, figures.offer, 'H', plainNumber),
    ],
  }
}

/** Address of the number of the cheapest single offer. */
const singleWinner = (book: Book) => `$H$${AWARD_SCENARIO_ROW + book.report.awards.length + 2}`

function singleWorkings({ report }: Book) {
  const ranked = report.offers.filter(({ eligibility }) => eligibility.eligible)
  const wanted = report.rfq.wanted.volume
  const enough =
    wanted === null ? 0 : ranked.filter(({ metrics }) => (metrics.volume ?? 0) >= wanted * (1 - 1e-9)).length
  const single = report.awards.find(({ scenario }) => scenario === 'cheapest-single')?.winners[0]
  const winner = report.offers.find(({ id }) => id === single?.offerId)
  return {
    enough,
    total: winner?.compared.total ?? 0,
    volume: winner?.metrics.volume ?? 0,
    offer: winner?.sequence ?? 0,
  }
}

function offerHeader({ report, currency }: Book): RowPlan {
  const titles = report.awards.map(({ scenario }, index) =>
    scenario === 'own' ? 'Your own (t)' : `Scenario ${index + 1} (t)`,
  )
  const figures = [
    'Volume (t)',
    inCurrency('Total', currency),
    inCurrency('Price per tonne', currency, '/t'),
    'Price, six decimals',
    'Order by price',
    'Developer no.',
    ...titles,
  ]
  const words = ['Offer no.', 'Offer', 'Developer', 'Ranked']
  return fittedRow([...words.map((word) => text(word, head)), ...figures.map((word) => text(word, headRight))], WIDTHS)
}

function offerRow(book: Book, offer: OfferReport, index: number, facts: Facts): RowPlan {
  const { award, offers, numbers, currency } = book
  const at = (key: AwardKey) => award.at(key, index)
  const ranked = offer.eligibility.eligible
  const volume = ranked ? (offer.metrics.volume ?? 0) : 0
  const total = ranked ? (offer.compared.total ?? 0) : 0
  const isRanked = `${at('eligible')}="yes"`
  const cells: Record<Exclude<AwardKey, AwardScenario>, Cell> = {
    offer: number(offer.sequence, plainNumber),
    label: text(offer.label, wrapped),
    developer: text(offer.developer, wrapped),
    eligible: formula(offers.cell('eligible', index), yesNo(ranked), centred),
    volume: formula(`IF(${isRanked},${offers.cell('volume', index)},0)`, volume, numbers.volume),
    total: formula(`IF(${isRanked},${offers.cell('comparedTotal', index)},0)`, total, numbers.money(currency)),
    price: formula(
      `IF(${at('volume')}>0,${at('total')}/${at('volume')},0)`,
      volume > 0 ? total / volume : 0,
      numbers.price(currency),
    ),
    orderPrice: formula(`IF(${isRanked},ROUND(${at('price')},6),"")`, ranked ? round6(total / volume) : '', SIX),
    order: formula(orderExpression(book, index), facts.order.get(offer.id) ?? '', plainNumber),
    developerNo: number(facts.developer.get(offer.id), plainNumber),
  }
  const planned = award.keys.map((key) =>
    key in cells ? cells[key as keyof typeof cells] : tonnesCell(book, offer, index, key as AwardScenario, facts),
  )
  return fittedRow(planned, WIDTHS)
}

const SIX: Style = formatted(plainNumber, '#,##0.000000')
const round6 = (value: number) => Math.round(value * 1e6) / 1e6

function orderExpression({ award }: Book, index: number): string {
  const own = award.at('orderPrice', index)
  const ties = `COUNTIFS(${award.range('orderPrice')},${own},${award.range('offer')},"<"&${award.at('offer', index)})`
  return `IF(ISNUMBER(${own}),RANK(${own},${award.range('orderPrice')},1)+${ties},"")`
}

/** What each offer has in the report, looked up at once. */
interface Facts {
  /** Place by nominal price at six decimals; ties to the lower number. */
  order: ReadonlyMap<string, number>
  /** One number a developer, as the report tells developers apart: names without case and outer blanks. */
  developer: ReadonlyMap<string, number>
  /** Tonnes by scenario and offer, for each of the RFQ's volumes. */
  tonnes: (scenario: AwardScenario, id: string, basis?: WantedBasis) => number
}

function factsOf(report: Book['report']): Facts {
  const written = tonnesOf(report.awards)
  const byBasis = { min: tonnesFor(report, 'min'), mid: tonnesFor(report, 'mid'), max: tonnesFor(report, 'max') }
  return {
    order: priceOrder(report.offers),
    developer: developerNumbers(report.offers),
    tonnes: (scenario, id, basis) => (basis ? byBasis[basis] : written).get(`${scenario} ${id}`) ?? 0,
  }
}

const tonnesOf = (awards: readonly Award[]): ReadonlyMap<string, number> =>
  new Map(
    awards.flatMap(({ scenario, winners }) => winners.map((line) => [`${scenario} ${line.offerId}`, line.tonnes])),
  )

/** The sets for another of the RFQ's volumes, so that a reader who changes it sees the exact answer. */
function tonnesFor(report: Book['report'], basis: WantedBasis): ReadonlyMap<string, number> {
  const { rfq, awards, currency, offers } = report
  const volume = rfq.wanted[basis]
  if (volume === rfq.wanted.volume) return tonnesOf(awards)
  const wanted = { ...rfq.wanted, basis, volume }
  return tonnesOf(awardsOf(offers.filter(isRanked), { ...rfq, wanted }, currency.comparison, undefined))
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
      const known = numbers.get(name) ?? offer.sequence
      numbers.set(name, known)
      return [offer.id, known]
    }),
  )
}

function tonnesCell(book: Book, offer: OfferReport, index: number, scenario: AwardScenario, facts: Facts): Cell {
  const cached = facts.tonnes(scenario, offer.id)
  const { volume: style } = book.numbers
  if (scenario === 'own') return number(cached, asInput(style))
  const ranked = `${book.award.at('eligible', index)}="yes"`
  return formula(`IF(${ranked},${tonnesExpression(book, offer, index, scenario, facts)},0)`, cached, style)
}

function tonnesExpression(
  book: Book,
  offer: OfferReport,
  index: number,
  scenario: Exclude<AwardScenario, 'own'>,
  facts: Facts,
): string {
  const { award, scoring } = book
  const volume = award.at('volume', index)
  const before = (by: string, own: string) => `SUMIFS(${award.range('volume')},${by},"<"&${own})`
  const wanted = (expression: string) => `IF(ISNUMBER(WantedVolume),${expression},0)`
  switch (scenario) {
    case 'cheapest-single':
      return wanted(`IF(${award.at('offer', index)}=${singleWinner(book)},${volume},0)`)
    case 'cheapest-divisible': {
      const open = `(WantedVolume-${before(award.range('order'), award.at('order', index))})`
      return wanted(`IF(${open}>WantedVolume*1E-9,MIN(${volume},${open}),0)`)
    }
    case 'best-score': {
      const taken = before(scoring.range('rank'), scoring.cell('rank', index))
      return wanted(`IF(${taken}>=${TARGET},0,${volume})`)
    }
    default:
      return `${volume}*${memberExpression(offer.id, scenario, facts)}`
  }
}

/** Whether the offer is in the set found for each of the RFQ's volumes. */
function memberExpression(id: string, scenario: AwardScenario, facts: Facts): string {
  const member = (basis: WantedBasis) => (facts.tonnes(scenario, id, basis) > 0 ? 1 : 0)
  const [min, mid, max] = [member('min'), member('mid'), member('max')]
  return min === mid && mid === max ? `${min}` : `IF(WantedBasis="min",${min},IF(WantedBasis="max",${max},${mid}))`
}
