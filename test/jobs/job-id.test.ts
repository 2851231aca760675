import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobName } from '../../jobs/contract.js'
import { JOB_NAMES } from '../../jobs/contract.js'
import { jobId } from '../../jobs/job-id.js'

const AT = new Date('2026-11-21T01:05:00Z')
const identifier = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })
const job = fc.record({
  name: fc.constantFrom<JobName>(...JOB_NAMES),
  channel: fc.tuple(identifier, identifier).map((parts) => parts.join('/')),
  rfqId: identifier,
  at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
})

describe('jobId', () => {
  it('says what runs, on what, since when', () => {
    expect(jobId('poll-rfqs', { channel: 'acme/forest' }, AT)).toBe('poll-rfqs_acme_forest_20261121T0105Z')
    expect(jobId('rfq-report', { channel: 'acme/forest', rfqId: '5f-9' }, AT)).toBe(
      'rfq-report_acme_forest_5f-9_20261121T0105Z',
    )
  })

  it('shows seconds and milliseconds where there are any', () => {
    const id = (at: string) => jobId('poll-rfqs', { channel: 'a/b' }, new Date(at)).split('_').at(-1)
    expect(id('2026-11-21T01:05:30Z')).toBe('20261121T010530Z')
    expect(id('2026-11-21T01:05:00.007Z')).toBe('20261121T010500007Z')
  })

  it('never gives two channels one id', () => {
    const id = (channel: string) => jobId('poll-rfqs', { channel }, AT)
    const alike = ['a_b/c', 'a/b_c', 'a.b/c', 'a.005fb/c', 'A_B/c', 'a/b/c', 'a-b/c', '\u00e9/c', 'e\u0301/c']
    expect(new Set(alike.map(id)).size).toBe(alike.length)
  })

  it('is injective', () => {
    const facts = ({ name, channel, rfqId, at }: { name: JobName; channel: string; rfqId: string; at: Date }) =>
      JSON.stringify([name, channel, name === 'rfq-report' ? rfqId : '', at.getTime()])
    const near = fc.tuple(job, job, fc.boolean(), fc.boolean()).map(([one, other, sameName, sameAt]) => {
      return [one, { ...other, name: sameName ? one.name : other.name, at: sameAt ? one.at : other.at }] as const
    })
    fc.assert(
      fc.property(near, ([one, other]) => {
        expect(jobId(one.name, one, one.at) === jobId(other.name, other, other.at)).toBe(facts(one) === facts(other))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is made of nothing that a queue gives a meaning to', () => {
    fc.assert(
      fc.property(job, ({ name, at, ...payload }) => {
        const id = jobId(name, payload, at)
        expect(id).toMatch(/^[A-Za-z][A-Za-z0-9._-]*$/)
        expect(String(Number.parseInt(id, 10))).not.toBe(id)
      }),
    )
  })
})
