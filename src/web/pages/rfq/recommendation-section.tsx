import type { Recommendation } from '../../../compare/decision/decision-model.js'
import type { PriceBasis } from '../../../core/decision/settings.js'
import { formatRange } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { awardPath } from '../../../tables/page-paths.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { amount, Badge, percent, plain, price } from '../../components/format.js'
import type { PageRequest } from '../page.js'

const TONES: Record<Recommendation['status'], string> = {
  award: 'good',
  partial: 'warn',
  accepted: 'good',
  none: 'bad',
  'no-volume': '',
  'no-offers': '',
}

/** What the cost per tonne is called if it is not the price. */
const COST_TITLES: Record<PriceBasis, string | null> = {
  quoted: null,
  'present-value': 'present value',
}

/** What to do, why, what to check, and what would change it. */
export function RecommendationSection({ view, changed }: { view: RfqView; changed: boolean }) {
  const { recommendation, savings } = view.decision
  const { status, headline, reasons, conditions, breakEven, accepted } = recommendation
  const award = recommendation.award ?? accepted?.award ?? null
  return (
    <section class={`recommendation ${TONES[status]}`} id="recommendation" aria-labelledby="recommendation-title">
      <h2 id="recommendation-title">
        {status === 'accepted' ? 'Accepted award' : 'Recommendation'}
        {changed && ' with your changes'}
      </h2>
      <p class="headline">{plain(headline)}</p>
      {award !== null && <p class="muted">{besideLimits(view, award)}</p>}
      <div class="columns">
        <ul class="reasons">
          {[...reasons, ...(award === null || savings === null ? [] : [savings.message])].map((message) => (
            <li>{plain(message)}</li>
          ))}
        </ul>
        <div>
          <More title="Check before signing" sentences={conditions} isOpen />
          <More title="What would change it" sentences={breakEven} />
        </div>
      </div>
    </section>
  )
}

/** The price beside the limits of the RFQ, the share of the requested tonnes. */
function besideLimits({ rfq, decision }: RfqView, award: NonNullable<Recommendation['award']>): string {
  const currency = plain(award.currency)
  const limits = formatRange(rfq.comparedMinUnitPrice, rfq.comparedMaxUnitPrice, price)
  const cost = COST_TITLES[decision.priceBasis]
  return [
    `${price(award.pricePerTonne)} ${currency}/t${limits === null ? ', no price limit' : `, limit ${limits}`}`,
    ...(cost === null ? [] : [`${cost} ${price(award.costPerTonne)} ${currency}/t`]),
    ...(award.coverage === null || rfq.window.lower === null
      ? []
      : [`covers ${percent(award.coverage)} of the ${amount(rfq.window.lower)} t asked for at least`]),
  ].join(' · ')
}

const More = ({
  title,
  sentences,
  isOpen = false,
}: {
  title: string
  sentences: readonly { message: string; loud?: boolean }[]
  isOpen?: boolean
}) =>
  sentences.length > 0 && (
    <details open={isOpen}>
      <summary>{title}</summary>
      <ul class="reasons">
        {sentences.map(({ message, loud }) => (
          <li>
            {loud && <Badge tone="bad">loud</Badge>} {plain(message)}
          </li>
        ))}
      </ul>
    </details>
  )

interface ActionsProps {
  page: PageRequest
  view: RfqView
  name: string
  /** Settings that differ from those in force. */
  changes: Readonly<Record<string, string>>
  isPast: boolean
}

/** What one does with a decision: record the award, make its workbook, ask, try other settings. */
export function Actions({ page: { request, query }, view, name, changes, isPast }: ActionsProps) {
  // With other settings, `report --set` makes the workbook.
  const isOperator = request.user?.role === 'operator' && Object.keys(changes).length === 0
  const fields = [
    ['channel', view.channel],
    ['rfq', name],
    ['_csrf', request.csrfToken],
    ...(query.as_of === undefined ? [] : [['as_of', query.as_of] as const]),
  ] as const
  const canAward = view.decision.recommendation.award !== null
  return (
    <div class="actions noprint">
      {isOperator && !isPast && (
        <a class={canAward ? 'button primary' : 'button'} href={awardPath(view.channel, nameById(view.rfq.id))}>
          {view.award === null ? 'Record the award' : 'Change the award'}
        </a>
      )}
      {isOperator && (
        <form method="post" action="/reports">
          {fields.map(([key, value]) => (
            <input key={key} type="hidden" name={key} value={value} />
          ))}
          <button type="submit">Make workbook</button>{' '}
        </form>
      )}
      {view.decision.questions.length > 0 && (
        <a class="button" href="#questions">
          Ask developers
        </a>
      )}
      <a class="button" href="#what-if">
        What if
      </a>
    </div>
  )
}
