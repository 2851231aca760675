import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  type EarlierCloses,
  evaluate,
  hashWithoutUpdateTimes,
  isSameContent,
  storedCandidate,
} from '../../src/closing/evaluate.js'
import { REFUSAL_COOLDOWN_MS } from '../../src/core/close-intent.js'
import type { DecisionRecord, KnownDocument } from '../../src/core/records.js'
import { createCalendar } from '../../src/core/time/expiry.js'
import { POLICY } from '../helpers/closing-round-fixture.js'
import { anRfq } from '../helpers/data/sample-documents.js'

const NOW = new Date('2026-11-21T12:00:00Z')
const EARLIER: EarlierCloses = {
  openIntents: new Set(),
  closeReplies: new Map(),
  sentIntents: new Map(),
  restoredAt: null,
}

const stored = (more: Partial<KnownDocument> = {}): KnownDocument => {
  const body = anRfq('rfq-1', { number: 7, state: 'open', responseDueDate: '2026-11-20' })
  const known = { id: 'rfq-1', body, valid: true, shape: 'full', missingSince: null, version: 3, contentHash: 'h' }
  return { ...known, entry: null, ...more } as KnownDocument
}
const withBody = (more: Record<string, unknown>) => ({ body: anRfq('rfq-1', more) })
const listedAs = (body: object) => ({ entry: { isRead: true, body } })
const evaluated = (more: Partial<KnownDocument> = {}, { graceHours = 0 } = {}) => {
  const policy = { ...POLICY, graceHours }
  const context = { policy, calendar: createCalendar('UTC'), earlier: EARLIER, now: NOW }
  return evaluate(storedCandidate(stored(more)), context)
}

describe('evaluating an RFQ for closing', () => {
  it('finds every condition met for one that is open, past due, valid and listed', () => {
    expect(evaluated()).toMatchObject({
      for: [
        'its state is open',
        'its response due date 2026-11-20 has passed (today is 2026-11-21 in UTC)',
        'its document is valid',
        'it is in the newest list',
      ],
      against: [],
    })
  })

  it.each<[string, Partial<KnownDocument>, string, RegExp]>([
    ['draft', withBody({ state: 'draft' }), 'state', /^its state is draft$/],
    ['in an unknown state', withBody({ state: 'paused' }), 'state', /^its state is paused$/],
    ['without a state', withBody({ state: null }), 'state', /missing or invalid$/],
    ['without a due date', withBody({ responseDueDate: null }), 'due-date', /not a valid date \(null\)/],
    ['with a text as date', withBody({ responseDueDate: 'soon' }), 'due-date', /date \("soon"\)/],
    ['with another form of date', withBody({ responseDueDate: '20/11/2026' }), 'due-date', /date \("20/],
    ['with a time', withBody({ responseDueDate: '2026-11-19T00:00:00Z' }), 'due-date', /date \("2026-11-19T/],
    ['due on no such day', withBody({ responseDueDate: '2026-02-30' }), 'due-date', /date \("2026-02-30"\)/],
    ['with a placeholder', withBody({ responseDueDate: '1999-12-31' }), 'due-date', /before 2000-01-01/],
    ['with year 0', withBody({ responseDueDate: '0000-01-01' }), 'due-date', /0000-01-01/],
    ['due today', withBody({ responseDueDate: '2026-11-21' }), 'not-past-due', /21 has not passed/],
    ['whose document is not as documented', withBody({ minVolume: 'many' }), 'document', /documented format/],
    ['known from its list entry only', { shape: 'summary' }, 'document', /only its list entry/],
    ['whose stored document is invalid', { valid: false }, 'document', /does not match the documented format/],
    ['that the list says is closed', listedAs({ state: 'closed' }), 'document', /contradicts it: it says "closed"$/],
    ['with several entries', listedAs([{}, { title: 'a' }]), 'document', /differing entries/],
    ['that is missing', { missingSince: '2026-11-21T10:00:00.000Z' }, 'missing', /since 2026-11-21T10:00:00.000Z$/],
  ])('finds a reason against one %s', (_what, more, code, text) => {
    const reasons = evaluated(more).against.filter((reason) => reason.code === code)
    expect(reasons).toEqual([{ code, text: expect.stringMatching(text) }])
  })

  it('takes the first day of 2000 as a date, not as a placeholder', () => {
    expect(evaluated(withBody({ responseDueDate: '2000-01-01' })).against).toEqual([])
  })

  it('finds reasons against one that is no object', () => {
    const { against, ...others } = evaluated({ body: null })
    expect(others).toMatchObject({ for: ['it is in the newest list'], state: null })
    expect(against.map(({ code }) => code)).toEqual(['state', 'due-date', 'document'])
  })

  it('adds the hours of grace, and names them', () => {
    const [reason] = evaluated({}, { graceHours: 13 }).against
    expect(reason).toMatchObject({
      code: 'not-past-due',
      text: expect.stringContaining('2026-11-20 plus 13 h of grace'),
    })
    expect(evaluated({}, { graceHours: 12 }).against).toEqual([])
  })
})

const candidate = storedCandidate(stored())
const replyed = (outcome: string, more: object = {}) =>
  ({
    id: 5,
    decision: 'close',
    outcome,
    decidedAt: '2026-11-21T11:00:00.000Z',
    evidence: { result: 'no effect', verified: { hash: candidate.hash } },
    ...more,
  }) as unknown as DecisionRecord

interface Asked {
  of?: Candidate
  sent?: number
  now?: Date
  retry?: string[]
  restoredAt?: Date
  isSecondPost?: boolean
}

/** Why another close is blocked, after the last one had an outcome; null if it is not. */
function blocked(reply: DecisionRecord | undefined, asked: Asked = {}) {
  const { of = candidate, sent = 1, now = NOW, retry, restoredAt = null, isSecondPost = false } = asked
  const closeReplies = new Map(reply && [[of.id, reply]])
  const earlier = { openIntents: new Set<string>(), closeReplies, sentIntents: new Map([[of.id, sent]]), restoredAt }
  const policy = { ...POLICY, ...(retry && { retry }) }
  const { against } = evaluate(of, { policy, calendar: createCalendar('UTC'), earlier, now }, { isSecondPost })
  expect(against.length).toBeLessThanOrEqual(1)
  return against[0] ?? null
}

describe('the reason against closing an RFQ again', () => {
  it.each(['unknown', 'failed'])('is an %s outcome, until a person decides', (outcome) => {
    const now = new Date(NOW.getTime() + 400 * REFUSAL_COOLDOWN_MS)
    expect(blocked(replyed(outcome), { now })).toEqual({
      code: 'uncertain',
      text: expect.stringMatching(/by a person: no effect \(closing decision 5\)$/),
    })
    expect(blocked(replyed(outcome), { of: { ...candidate, hash: 'other' } })).toMatchObject({ code: 'uncertain' })
    expect(blocked(replyed(outcome), { now, retry: [candidate.id] })).toBeNull()
    expect(blocked(replyed(outcome), { now, retry: ['another'] })).not.toBeNull()
  })

  it('is a refusal of the same document, for exactly a day', () => {
    const end = Date.parse('2026-11-22T11:00:00.000Z')
    const at = (time: number) => blocked(replyed('refused'), { now: new Date(time) })
    expect(at(end - 1)).toEqual({
      code: 'refused',
      text: expect.stringMatching(/^the marketplace refused.*decision 5/),
    })
    expect(at(end)).toBeNull()
    expect(blocked(replyed('refused'), { of: { ...candidate, hash: 'other' } })).toBeNull()
  })

  it.each([
    ['without a close', undefined],
    ['after a decision to keep it open', replyed('unknown', { decision: 'keep' })],
    ['after the outcome closed', replyed('closed')],
    ['after the outcome already-closed', replyed('already-closed')],
  ])('is none %s', (_when, reply) => {
    expect(blocked(reply)).toBeNull()
  })

  it('is the second close within 24 hours, if the last reply is none', () => {
    const sent = (outcome: string, count: number) => blocked(replyed(outcome), { sent: count })
    expect(sent('closed', 1)).toBeNull()
    expect(sent('closed', 2)).toEqual({ code: 'daily-limit', text: expect.stringContaining('2 times') })
    expect(sent('unknown', 2)).toMatchObject({ code: 'uncertain' })
  })
})

describe('the restore of a backup', () => {
  it('holds an RFQ that was past due then, until a close of it has an outcome, also before its second POST', () => {
    for (const isSecondPost of [false, true]) {
      const reason = (restoredAt: string, reply?: DecisionRecord) =>
        blocked(reply, { restoredAt: new Date(restoredAt), isSecondPost })?.code
      expect(reason('2026-11-20T23:59:59Z')).toBeUndefined()
      expect(reason('2026-11-21T00:00:00Z')).toBe('uncertain')
      expect(reason('2026-11-21T11:00:00Z', replyed('closed'))).toBe('uncertain')
      expect(reason('2026-11-21T10:59:59Z', replyed('closed'))).toBeUndefined()
    }
  })

  it('is all that blocks a second POST', () => {
    expect(blocked(replyed('unknown'), { sent: 2, isSecondPost: true })).toBeNull()
  })
})

describe('whether a document is the one that evidence describes', () => {
  const body = { id: 'rfq-1', updatedAt: '2026-11-20T00:00:00Z', title: 'a' }
  const read: Candidate = { ...candidate, hash: 'new', body }

  it('is decided by the hash, or by the hash without the times of updates', () => {
    expect(isSameContent({ hash: 'new' }, read)).toBe(true)
    const touched = { ...body, updatedAt: '2026-11-21T00:00:00Z' }
    const known = { hash: 'old', hashWithoutUpdateTimes: hashWithoutUpdateTimes(touched) }
    expect(isSameContent(known, read)).toBe(true)
    expect(isSameContent(known, { ...read, body: { ...body, title: 'b' } })).toBe(false)
  })

  it.each([null, undefined, {}, { hash: 'old' }])('is false for evidence of no document: %j', (evidence) => {
    expect(isSameContent(evidence, read)).toBe(false)
  })
})
