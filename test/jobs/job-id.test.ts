import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobName } from '../../jobs/contract.js'
import { JOB_NAMES } from '../../jobs/contract.js'
import { jobId } from '../../jobs/job-id.js'
import { anyCharacter } from '../helpers/data/any-text.js'

const AT = new Date('2026-11-21T01:05:00Z')
const identifier = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
const job = fc.record({
  name: fc.constantFrom<JobName>(...JOB_NAMES),
  channel: fc.tuple(identifier, identifier).map((parts) => parts.join('/')),
  rfqId: identifier,
  at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
})

describe('jobId', () => {
  it('consists of job name, channel, RFQ and tick', () => {
    expect(jobId('poll-rfqs', { channel: 'acme/forest' }, AT)).toBe('poll-rfqs_acme_forest_20261121T0105Z')
    expect(jobId('rfq-report', { channel: 'acme/forest', rfqId: '5f-9' }, AT)).toBe(
      'rfq-report_acme_forest_5f-9_20261121T0105Z',
    )
    // A closing round for one RFQ is other work than the round of the schedule.
    expect(jobId('close-expired', { channel: 'acme/forest', rfqId: '5f-9' }, AT)).toBe(
      'close-expired_acme_forest_5f-9_20261121T0105Z',
    )
  })

  it('is another one for a moment that comes again because the clock was set back', () => {
    const ids = [undefined, 0, 1, 2].map((setBacks) => jobId('poll-rfqs', { channel: 'acme/forest' }, AT, setBacks))
    const id = 'poll-rfqs_acme_forest_20261121T0105Z'
    expect(ids).toEqual([id, id, `${id}-1`, `${id}-2`])
  })

  it('has at most 1,000 characters for an RFQ with a long identifier, and tells such RFQs apart', () => {
    const ids = ['a', 'b'].map((last) =>
      jobId('rfq-report', { channel: 'acme/forest', rfqId: '樹'.repeat(332) + last }, AT),
    )
    expect(new Set(ids).size).toBe(2)
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThan(1_000)
  })

  it('tells reports apart that differ in moment, also from RFQs that are named so', () => {
    const report = { channel: 'acme/forest', rfqId: 'a' }
    const others = [
      report,
      { ...report, asOf: '2026-11-20T00:00:00.000Z' },
      { ...report, asOf: '2026-11-19T00:00:00.000Z' },
      { channel: 'acme/forest', rfqId: 'a_.asof-2026' },
      { channel: 'acme/forest', rfqId: 'a.asof-2026' },
    ]
    const ids = others.map((payload) => jobId('rfq-report', payload, AT))
    expect(new Set(ids).size).toBe(others.length)
    for (const id of ids) expect(id).not.toContain(':')
  })

  it('shows seconds and milliseconds only if they are not 0', () => {
    const id = (at: string) => jobId('poll-rfqs', { channel: 'a/b' }, new Date(at)).split('_').at(-1)
    expect(id('2026-11-21T01:05:30Z')).toBe('20261121T010530Z')
    expect(id('2026-11-21T01:05:00.007Z')).toBe('20261121T010500007Z')
  })

  it('differs between channels with similar names', () => {
    const id = (channel: string) => jobId('poll-rfqs', { channel }, AT)
    const channels = ['a_b/c', 'a/b_c', 'a.b/c', 'a.005fb/c', 'A_B/c', 'a/b/c', 'a-b/c', '\u00e9/c', 'e\u0301/c']
    expect(new Set(channels.map(id)).size).toBe(channels.length)
  })

  it('is unique to job, channel, RFQ and tick', () => {
    const identity = ({ name, channel, rfqId, at }: { name: JobName; channel: string; rfqId: string; at: Date }) =>
      JSON.stringify([name, channel, rfqId, at.getTime()])
    // All fields different would say nothing about any of them.
    const same = fc.record({ name: fc.boolean(), channel: fc.boolean(), rfqId: fc.boolean(), at: fc.boolean() })
    const similarPair = fc.tuple(job, job, same).map(([one, other, keep]) => {
      const shared = Object.entries(one).filter(([field]) => keep[field as keyof typeof keep])
      return [one, { ...other, ...Object.fromEntries(shared) }] as const
    })
    fc.assert(
      fc.property(similarPair, ([one, other]) => {
        expect(jobId(one.name, one, one.at) === jobId(other.name, other, other.at)).toBe(
          identity(one) === identity(other),
        )
      }),
      { numRuns: 500 },
    )
  })

  it('contains no character that is special to BullMQ, and is no integer', () => {
    fc.assert(
      fc.property(job, ({ name, at, ...payload }) => {
        const id = jobId(name, payload, at)
        expect(id).toMatch(/^[A-Za-z][A-Za-z0-9._-]*$/)
        expect(String(Number.parseInt(id, 10))).not.toBe(id)
      }),
    )
  })
})
