import { expect, it } from 'vitest'
import { explainDecision } from '../../../src/tables/closings/explain-decision.js'
import { newDecision } from '../../helpers/store/new-decision.js'

it('explainDecision sanitizes text from the marketplace', () => {
  const stored = { id: 1, hash: '', previousHash: '', approvedBy: null, times: 1, repeatedUntil: null }
  const reason = 'red \u001b[31malert\nSent         everything'
  expect(explainDecision({ ...stored, ...newDecision(1, { reason }) } as never)).toContain(
    'Because      red \ufffd[31malert Sent everything\n',
  )
})
