import { parseDocument, type RfqResponse } from '../../core/documents/observation.js'
import type { Version } from '../../core/records.js'
import { formatPrice, formatTonnes } from '../../core/text/number-format.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { ParsedResponse, ReviewedOffers } from '../input/comparison-input.js'
import type { Metrics } from './metrics.js'

/**
 * Finds the offers whose price, volume or deliveries changed after the moment at which their review accepted them.
 * @param responses of one RFQ
 * @param readHistory reads the versions of the RFQ and its responses; called only if an accepted offer changed later
 */
export async function findReviewedOffers(
  responses: readonly ParsedResponse[],
  readHistory: () => Promise<readonly Version[]>,
): Promise<ReviewedOffers> {
  const changed = responses.flatMap(({ id, notBefore, document }) => {
    const { status, createdAt, updatedAt } = document?.offer?.review ?? {}
    const reviewedAt = updatedAt ?? createdAt ?? null
    if (document === null || status?.trim().toLowerCase() !== 'accepted' || reviewedAt === null) return []
    return isAfter(notBefore, reviewedAt) ? [{ id, document, reviewedAt }] : []
  })
  const history = changed.length === 0 ? [] : await readHistory()
  return new Map(
    changed.flatMap(({ id, document, reviewedAt }) => {
      const versions = history
        .filter((one) => one.kind === 'response' && one.id === id && one.shape === 'full')
        .sort((a, b) => a.version - b.version)
        .map((version) => ({ version, document: parseDocument('response', version.body).document }))
      const before = versions.findLast(({ version }) => !isAfter(version.notBefore, reviewedAt))?.document
      const now = termsText(document)
      if (before == null || termsText(before) === now) return []
      const other = versions.findLastIndex((one) => one.document !== null && termsText(one.document) !== now)
      const changedAt = versions[other + 1]?.version.observedAt
      return changedAt === undefined ? [] : [[id, { reviewedAt, changedAt, document: before }] as const]
    }),
  )
}

/** Whether a change was surely made after a moment, because the document was still unchanged then. */
const isAfter = (notBefore: Timestamp | null, moment: Timestamp) =>
  notBefore !== null && Date.parse(notBefore) >= Date.parse(moment)

const termsText = ({ offer }: RfqResponse): string =>
  JSON.stringify([offer?.currency, offer?.totalVolume, offer?.totalPrice, offer?.scheduledDeliveries])

/** `price 17.08 → 9.90, volume 1,000 t → 900 t`; without either, `other terms`. */
export function changedTermsText(before: Metrics, after: Metrics): string {
  const part = (what: string, from: number | null, to: number | null, format: (value: number) => string) =>
    from === to ? [] : [`${what} ${[from, to].map((one) => (one === null ? 'unknown' : format(one))).join(' → ')}`]
  const parts = [
    ...part('price', before.pricePerTonne, after.pricePerTonne, formatPrice),
    ...part('volume', before.volume, after.volume, formatTonnes),
  ]
  return parts.length === 0 ? 'other terms' : parts.join(', ')
}
