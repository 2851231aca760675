import { expect, it } from 'vitest'
import type { RfqListItem } from '../../../src/core/documents/observation.js'
import type { ResponsePollState } from '../../../src/store/contract.js'
import type { RfqEntry } from '../../../src/sync/list-entries.js'
import { planEntries } from '../../../src/sync/plan/plan-entries.js'
import type { Poll } from '../../../src/sync/poll.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')

it('planning loads the stored responses of every RFQ that may be read, a bounded number at a time', async () => {
  const responses = Array.from({ length: 100 }, (_, at) => ({ id: `offer-${at}` }))
  const entries = new Map(
    Array.from({ length: 35 }, (_, at): [string, RfqEntry] => {
      const document = { state: 'open', responseDueDate: null, responses } as unknown as RfqListItem
      const read = { body: null, exactBody: null, text: null, problems: [], valid: true }
      const entry = { id: `rfq-${at}`, hash: '', entryHash: '', ...read }
      return [entry.id, { ...entry, document }]
    }),
  )
  const asked: string[][] = []
  const responseStates = async (_channel: string, rfqIds: readonly string[]) => {
    asked.push([...rfqIds])
    return rfqIds.flatMap((rfqId) => responses.map(({ id }) => ({ rfqId, id }) as ResponsePollState))
  }
  const poll = { context: { store: { responseStates }, now: () => NOW }, run: {}, progress: { postponed: 0 } }
  const nextPollAt = new Date(NOW.getTime() + 300_000)
  const budgets = { budget: 5, usualBudget: 5, intervalMs: 300_000, offersMaxAgeMinutes: 60, urgentHours: 24 }
  const selection = await planEntries(poll as unknown as Poll, entries, {
    known: new Map(),
    options: { recheckClosedHours: 24 },
    planning: { ...budgets, nextPollAt },
  })
  expect(Math.max(...asked.map(({ length }) => length))).toBe(10)
  expect(asked.flat()).toEqual([...entries.keys()])
  for (const id of entries.keys()) expect(selection.responses.get(id)?.size).toBe(100)
})
