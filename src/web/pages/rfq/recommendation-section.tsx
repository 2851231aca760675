import type { Recommendation } from '../../../compare/decision/decision-model.js'
import { formatAmount, formatPercent, formatPrice, formatRange } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { awardPath } from '../../../tables/page-paths.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { awardOf } from '../../../tables/rfq/what-if.js'
import { Badge, plain } from '../../components/format.js'
import type { PageRequest } from '../page.js'

const TONES: Record<Recommendation['status'], string> = {
  award: 'good',
  partial: 'warn',
  accepted: 'good',
  none: 'bad',
  'no-volume': '',
  'no-offers': '',
}

/** What to do, why, what to check, and what would change it. */
export function RecommendationSection({ view, changed }: { view: RfqView; changed: boolean }) {
  const { recommendation, savings } = view.decision
  const { status, headline, reasons, conditions, breakEven } = recommendation
  const award = awardOf(view)
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
          {[...reasons, ...(savings === null ? [] : [savings.message])].map((message) => (
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
  const limits = formatRange(rfq.comparedMinUnitPrice, rfq.comparedMaxUnitPrice, formatPrice)
  return [
    `${formatPrice(award.pricePerTonne)} ${currency}/t${limits === null ? ', no price limit' : `, limit ${limits}`}`,
    ...(decision.priceBasis === 'quoted' ? [] : [`present value ${formatPrice(award.costPerTonne)} ${currency}/t`]),
    ...(award.coverage === null || rfq.window.lower === null
      ? []
      : [`covers ${formatPercent(award.coverage)} of the ${formatAmount(rfq.window.lower)} t asked for at least`]),
  ].join(' · ')
}

type Sentences = readonly { message: string; loud?: boolean }[]

const More = ({ title, sentences, isOpen = false }: { title: string; sentences: Sentences; isOpen?: boolean }) =>
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
  /** Whether other settings than the configured ones are shown, for which `report --set` makes the workbook. */
  changed: boolean
}

/** What one does with a decision: record the award, make its workbook, ask. */
export function Actions({ page: { request, query }, view, changed }: ActionsProps) {
  const isOperator = request.user?.role === 'operator' && !changed
  const name = nameById(view.rfq.id)
  const fields = { channel: view.channel, rfq: name, as_of: query.as_of }
  const canAward = view.decision.recommendation.award !== null
  return (
    <div class="actions noprint">
      {isOperator && query.as_of === undefined && (
        <a class={canAward ? 'button primary' : 'button'} href={awardPath(view.channel, name)}>
          {view.award === null ? 'Record the award' : 'Change the award'}
        </a>
      )}
      {isOperator && (
        <form method="post" action="/reports">
          {Object.entries(fields).map(
            ([key, value]) => value !== undefined && <input key={key} type="hidden" name={key} value={value} />,
          )}
          <button type="submit">Make workbook</button>{' '}
        </form>
      )}
      {view.decision.questions.length > 0 && (
        <a class="button" href="#questions">
          Ask developers
        </a>
      )}
    </div>
  )
}
