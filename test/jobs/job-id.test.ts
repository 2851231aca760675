import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobName } from '../../jobs/contract.js'
import { JOB_NAMES } from '../../jobs/contract.js'
import { fairnessKey, jobId } from '../../jobs/job-id.js'
import { anyCharacter } from '../helpers/data/any-text.js'

const identifier = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
const job = fc.record({
  name: fc.constantFrom<JobName>(...JOB_NAMES),
  channel: fc.tuple(identifier, identifier).map((parts) => parts.join('/')),
  rfqId: identifier,
  at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
})

describe('jobId', () => {
  it('is another one each time, and its work is the same only for one job, channel and RFQ', () => {
    const identity = ({ name, channel, rfqId }: { name: JobName; channel: string; rfqId: string }) =>
      JSON.stringify([name, channel, rfqId])
    // All fields different would say nothing about any of them.
    const same = fc.record({ name: fc.boolean(), channel: fc.boolean(), rfqId: fc.boolean() })
    const similarPair = fc.tuple(job, job, same).map(([one, other, keep]) => {
      const shared = Object.entries(one).filter(([field]) => keep[field as keyof typeof keep])
      return [one, { ...other, ...Object.fromEntries(shared) }] as const
    })
    fc.assert(
      fc.property(similarPair, ([one, other]) => {
        expect(fairnessKey(one.name, one) === fairnessKey(other.name, other)).toBe(identity(one) === identity(other))
      }),
      { numRuns: 500 },
    )
    const at = new Date('2026-11-21T01:05:00.123Z')
    const ids = Array.from({ length: 6 }, () => jobId('poll-rfqs', { channel: 'acme/forest' }, at))
    expect(new Set(ids).size).toBeGreaterThan(4)
    expect(ids[0]).toMatch(/^poll-rfqs_acme_forest_20261121T010500123Z_[0-9a-f]{4}$/)
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
