import { expect, it } from 'vitest'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparisonAnswer } from '../../src/mcp/comparison-answer.js'
import { comparisonInput, response } from '../helpers/comparison-inputs.js'

it('the closest award is an object, or null: if one satisfies the requirements, and once an offer is accepted', () => {
  const closestOf = (status: string, rfq: Record<string, unknown> = {}) => {
    const answer = comparisonAnswer(compareOffers(comparisonInput({ rfq, responses: [response(1, { status })] })), [])
    return (answer.recommendation as { closest: unknown }).closest
  }
  const unmet = { pricing: { minUnitPrice: 0, maxUnitPrice: 1, currency: 'USD' } }
  expect(closestOf('submitted', unmet)).toMatchObject({ words: expect.any(String) })
  expect([closestOf('submitted'), closestOf('accepted'), closestOf('accepted', unmet)]).toEqual([null, null, null])
})
