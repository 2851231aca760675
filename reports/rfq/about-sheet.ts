import { PRICED_BY } from '../../src/compare/decision/setting-text.js'
import type { Source } from '../../src/compare/input/comparison-context.js'
import { REQUIREMENT_LEVELS } from '../../src/core/decision/settings.js'
import { formatPercent } from '../../src/core/text/number-format.js'
import type { RfqView } from '../../src/tables/rfq/rfq-view.js'
import { aboutSheet, contextTerms, definitionSection, LIMITS, type Term } from '../layout/about-sheet.js'
import { codeLabel } from '../layout/wording.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { RfqLayout } from './layout.js'

const NOTE = 'Assumptions and limits; below, and not printed: definitions, texts in full and sources.'
const FORMULAS =
  'They explain figures: line total = volume × price, total of an offer = sum of its lines, price per tonne = total ÷ volume, conversion = × exchange rate, the calculator on Choices. Everything else is a value.'

/** `About`: assumptions, definitions, texts in full and sources. */
export const rfqAboutSheet = (layout: RfqLayout): WriteSheet => {
  const { view } = layout
  const problems = view.problems.map(({ kind, entityId, path, code, message }): Term => {
    const place = path === '' ? '' : `, ${path}`
    return [codeLabel(code), `${kind} ${entityId}${place}: ${message}`]
  })
  const sources = sourcesOf(view).map(({ kind, id, version, observedAt, contentHash, valid }): Term => {
    const validity = valid ? '' : ', does not match the API documentation'
    return [codeLabel(kind), `${id}: version ${version}, observed ${observedAt}, SHA-256 ${contentHash}${validity}`]
  })
  return aboutSheet(
    layout,
    NOTE,
    [['Assumptions', assumptions(view)], ['Documents that do not match the API documentation', problems], LIMITS],
    [definitionSection(view.settings), ['Texts in full', [...longTexts(view)]], ['Sources', sources]],
  )
}

function assumptions({ context, currency, settings, decision, rfq }: RfqView): Term[] {
  const { awardTolerance: tolerance, priceBasis, discountRate } = settings
  const { rates } = currency
  const requirements = REQUIREMENT_LEVELS.flatMap((level) => {
    const titles = decision.requirements.filter((one) => one.level === level).map(({ title }) => title)
    return titles.length === 0 ? [] : [`${level}: ${titles.join(', ')}`]
  })
  return [
    ...contextTerms(context),
    ['Tonnes of an award', rfq.window.message],
    ['Award tolerance', tolerance === 'unlimited' ? tolerance : formatPercent(tolerance)],
    ['Price basis', `${PRICED_BY[priceBasis]}; discount rate ${formatPercent(discountRate)} per year`],
    ['Requirements', requirements.join('\n')],
    ['Comparison currency', `${currency.comparison ?? 'none'}. ${currency.reason}`],
    ...(rates.length === 0 ? [] : [['Exchange rates', rates.map(({ message }) => message).join('\n')] as const]),
    ['Formulas', FORMULAS],
  ]
}

function* longTexts({ rfq, offers }: RfqView): Generator<Term> {
  if (rfq.buyerDescription !== null) yield ['Buyer description', rfq.buyerDescription]
  if (rfq.additionalRequirements !== null) yield ['Additional requirements', rfq.additionalRequirements]
  for (const { sequence, label, terms } of offers) {
    if (terms.notes !== null) yield [`Notes of offer ${sequence}, ${label}`, terms.notes]
    if (terms.review?.comment != null) yield [`Review of offer ${sequence}, ${label}`, terms.review.comment]
  }
}

/** Every document the figures are derived from. */
function sourcesOf({ rfq, offers }: RfqView): Source[] {
  const listings = new Map(offers.flatMap(({ listing: { source } }) => (source === null ? [] : [[source.id, source]])))
  return [rfq.source, ...offers.map(({ source }) => source), ...listings.values()]
}
