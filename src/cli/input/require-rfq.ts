import { parseDocument } from '../../core/documents/observation.js'
import type { RfqWithResponses } from '../../core/records.js'
import { cleanLine } from '../../core/text/clean-text.js'
import type { History } from '../../store/contract.js'
import { findRfq, problemText, type RfqSearch } from '../../tables/find-rfq.js'
import { truncate } from '../../tables/print/text-width.js'
import { FailedError, UsageError } from '../cli-error.js'

/**
 * Finds the RFQ that a command names.
 * @throws {UsageError} if there is none, with the closest names, or if there are several, with a way to choose one
 * @throws {FailedError} if no RFQs are stored
 */
export async function requireRfq(store: Pick<History, 'rfqs'>, search: RfqSearch): Promise<RfqWithResponses> {
  const lookup = await findRfq(store, search)
  if ('found' in lookup) return lookup.found
  const { problem } = lookup
  const text = problemText(problem, 'lines')
  if (problem.reason === 'empty')
    throw new FailedError(
      search.asOf === undefined ? `${text}, run \`quotekeeper sync\` to poll the marketplace` : text,
    )
  throw new UsageError(problem.names.length === 0 ? `${text}; \`quotekeeper rfqs\` lists all RFQs` : text)
}

/** A short name for messages: `12 (REF-7, Mangroves for 2027)`. */
export function rfqLabel({ rfq }: Pick<RfqWithResponses, 'rfq'>): string {
  const document = parseDocument('rfq', rfq.body).document
  const name = document?.number?.toString() ?? document?.reference ?? rfq.id
  const more = [document?.reference, document?.title].filter((part) => part && part !== name)
  return truncate(cleanLine(more.length > 0 ? `${name} (${more.join(', ')})` : name), 100)
}
