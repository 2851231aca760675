import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobName } from '../../jobs/contract.js'
import { JOB_NAMES } from '../../jobs/contract.js'
import { jobId } from '../../jobs/job-id.js'
import { anyCharacter } from '../helpers/data/any-text.js'

const identifier = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
const job = fc.record({
  name: fc.constantFrom<JobName>(...JOB_NAMES),
  channel: fc.tuple(identifier, identifier).map((parts) => parts.join('/')),
  rfqId: identifier,
  at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
})

describe('jobId', () => {
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
