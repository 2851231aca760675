import { obstacleOf } from '../compare/decision/excluded-offers.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { oneLine } from '../core/text/clean-text.js'
import { formatPrice, formatTonnes } from '../core/text/number-format.js'
import type { RfqState } from './rfq-state.js'

/** An offer before and after a change. */
interface OfferChange {
  old: OfferReport | undefined
  offer: OfferReport
  before: RfqState
  after: RfqState
  /** Whether it left the award or joined it. */
  side?: 'left' | 'joined'
}

/** The relevant changes of an offer. */
export function offerCauses(change: OfferChange): string[] {
  const { old, offer } = change
  const name = `the offer of ${oneLine(offer.label)}`
  const competes = offer.standing === 'ranked'
  if (old === undefined) return [competes ? `${name} is new` : `${name}, which is new, ${obstacleOf(offer)}`]
  if (old.standing === 'accepted' && offer.standing !== 'accepted') return [`${name} is not accepted any more`]
  if (competes) return old.standing === 'ranked' ? termCauses(change) : [`${name} ${removedObstacle(old)}`]
  return old.standing === 'ranked' && offer.standing !== 'accepted' ? [`${name} ${obstacleOf(offer)}`] : []
}

/** The changes of an offer that competes before and after. A lower price does not explain why it left, nor a higher one why it joined. */
function termCauses({ old, offer, before, after, side }: OfferChange): string[] {
  if (old === undefined) return []
  const name = oneLine(offer.label)
  const isCause = (isWorse: boolean) => side === undefined || isWorse === (side === 'left')
  const code = offer.terms.currencyCode
  const [was, is] = [old.metrics.pricePerTonne, offer.metrics.pricePerTonne]
  const [tonnesWas, tonnesIs] = [old.metrics.volume, offer.metrics.volume]
  const causes: string[] = []
  if (was !== null && is !== null && formatPrice(was) !== formatPrice(is) && isCause(is > was))
    causes.push(
      `the price of ${name} ${is > was ? 'rose' : 'fell'} from ${formatPrice(was)} to ${formatPrice(is)} ${code}/t`,
    )
  if (tonnesWas !== null && tonnesIs !== null && tonnesWas !== tonnesIs)
    causes.push(`${name} offers ${formatTonnes(tonnesIs)} instead of ${formatTonnes(tonnesWas)}`)
  const basis = after.settings.priceBasis
  if (causes.length === 0 && basis !== 'quoted' && basis === before.settings.priceBasis) {
    const [costWas, costIs] = [old.compared.costPerTonne, offer.compared.costPerTonne]
    if (
      costWas !== null &&
      costIs !== null &&
      formatPrice(costWas) !== formatPrice(costIs) &&
      isCause(costIs > costWas)
    )
      causes.push(`${name} costs ${formatPrice(costIs)} instead of ${formatPrice(costWas)} per tonne (${basis})`)
  }
  return causes
}

/** Why an offer competes again, as a predicate of its name. */
function removedObstacle({ exclusions: [exclusion], unmet }: OfferReport): string {
  switch (exclusion?.code) {
    case undefined: {
      const hard = unmet.find(({ level }) => level === 'hard')
      return hard === undefined ? 'competes now' : `meets “${hard.title}” now`
    }
    case 'rejected':
    case 'not-open':
      return 'is open now'
    case 'missing':
      return 'is listed again'
    case 'no-exchange-rate':
      return 'has an exchange rate now'
    default:
      return 'can be compared now'
  }
}
