import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChannelError, ItemError, PausedError } from '../../src/marketplace/errors.js'
import {
  fromPartError,
  PART_SIZE,
  parsePartResult,
  parsePollPart,
  splitIntoParts,
  toPartError,
} from '../../src/sync/poll-part.js'
import { LIST_PROBLEMS, type RfqToRead } from '../../src/sync/rfq-to-read.js'
import { anyCharacter } from '../helpers/any-text.js'
import { shareOf } from '../helpers/long-tests.js'

const text = fc.string({ unit: anyCharacter, maxLength: 6 })
const texts = fc.array(text, { maxLength: 3 })
const term = fc.oneof(...[text, fc.integer(), fc.boolean(), fc.constant(null)], fc.constant({ object: true } as const))
const anRfqToRead: fc.Arbitrary<Omit<RfqToRead, 'id'>> = fc.record({
  number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)),
  listHash: text,
  listProblems: fc.array(fc.record({ path: text, code: fc.constantFrom(...LIST_PROBLEMS), message: text }), {
    maxLength: 2,
  }),
  listIsLossy: fc.boolean(),
  listedResponses: texts,
  terms: fc.array(fc.record({ state: term, responseDueDate: term }), { maxLength: 2 }),
  returned: fc.boolean(),
  planned: fc.option(fc.record({ responses: texts, postponed: texts })),
})
const common = { timeZone: 'Europe/Zurich', conditional: true }

describe('parts of a poll', () => {
  it('hold each RFQ once and in order, share the requests that are left, and survive being stored', () => {
    const input = fc.record({
      kinds: fc.array(anRfqToRead, { minLength: 1, maxLength: 3 }),
      count: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 4_990, max: 5_200 })),
      left: fc.integer({ min: 0, max: 10_000 }),
    })
    fc.assert(
      fc.property(input, ({ kinds, count, left }) => {
        const rfqs = Array.from({ length: count }, (_, at): RfqToRead => {
          return { id: `\0\ud800${at}`, ...(kinds[at % kinds.length] as Omit<RfqToRead, 'id'>) }
        })
        const parts = splitIntoParts(rfqs, { ...common, left })
        expect(parts.flatMap((part) => part.rfqs)).toEqual(rfqs)
        expect(parts.reduce((sum, part) => sum + part.left, 0)).toBe(count === 0 ? 0 : left)
        for (const part of parts.slice(0, -1)) expect(part.rfqs).toHaveLength(PART_SIZE)
        const [first] = parts
        expect(parsePollPart(JSON.stringify(first))).toEqual(first)
      }),
      { numRuns: shareOf(40) },
    )
  })

  it('are refused if another version wrote them', () => {
    const rfq = { id: 'a' }
    for (const part of [null, {}, { ...common, left: 0, rfqs: [rfq] }, { ...common, left: 0 }])
      expect(() => parsePollPart(JSON.stringify(part))).toThrow()
    expect(() => parsePartResult('{"seen":1}')).toThrow()
  })

  it('pass errors on that end the whole poll, and no others', () => {
    const until = new Date('2026-11-22T10:00:00.000Z')
    const error = new PausedError('pause', until)
    const passed = toPartError(error)
    expect(passed && fromPartError(passed)).toEqual(error)
    const counts = { seen: 1, documents: 2, invalid: 0, postponed: 0 }
    const result = { ...counts, failures: [{ id: 'RFQ 1', message: 'm' }], unreadable: ['\ud800'], error: passed }
    const inVain = ['\ud800']
    expect(parsePartResult(JSON.stringify({ ...result, inVain }))).toEqual({ ...result, inVain })
    // As an earlier version writes it, during a rolling update.
    expect(parsePartResult(JSON.stringify(result))).toEqual({ ...result, inVain: [] })
    expect(toPartError(new ChannelError('refused', { status: 401 }))).toBeNull()
    expect(toPartError(new ItemError('gone', { status: 404 }))).toBeNull()
    expect(toPartError(new TypeError('x'))).toBeNull()
  })
})
