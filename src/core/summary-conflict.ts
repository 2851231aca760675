import type { Problem } from './lenient-parser.js'
import type { RfqResponse } from './observation.js'

/** Members of the summary of a response, each with its place in the response itself. */
const SHARED_MEMBERS = {
  status: ['status', ({ status }) => status],
  totalVolume: ['offer.totalVolume', ({ offer }) => offer?.totalVolume],
  totalPrice: ['offer.totalPrice', ({ offer }) => offer?.totalPrice],
  currency: ['offer.currency', ({ offer }) => offer?.currency],
  expiryDate: ['offer.expiryDate', ({ offer }) => offer?.expiryDate],
  contractType: ['offer.contractType', ({ offer }) => offer?.contractType],
} satisfies Record<string, [path: string, value: (response: RfqResponse) => unknown]>
const SHARED = Object.entries(SHARED_MEMBERS)

/**
 * Finds the members of a response that its summary in the RFQ contradicts. Either may be wrong, or the response changed between
 * the two reads. Absent and null members say nothing, nor do those of another type, which are problems themselves.
 */
export function findSummaryConflicts(summary: unknown, response: RfqResponse | null): Problem[] {
  if (response === null) return []
  const problems: Problem[] = []
  for (const [member, [path, valueIn]] of SHARED) {
    const listed = (summary as Record<string, unknown> | null)?.[member] ?? null
    const own = valueIn(response) ?? null
    if (own === null || typeof listed !== typeof own || listed === own) continue
    const message = `the RFQ says ${shown(listed)}, the offer itself says ${shown(own)}`
    problems.push({ path, code: 'conflict', message })
  }
  return problems
}

const shown = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)
