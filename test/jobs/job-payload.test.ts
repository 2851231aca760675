import { expect, it } from 'vitest'
import { parseJob, requestedBy, retriedJob } from '../../jobs/job-payload.js'

it('parseJob › accepts a known job name with a valid payload', () => {
  const payload = { channel: 'acme/forest', rfqId: 'r1', cause: 'close' }
  expect(parseJob('rfq-report', payload)).toEqual({ name: 'rfq-report', payload })
  for (const closing of [payload, { channel: 'acme/forest', cause: 'tick' }])
    expect(parseJob('close-expired', closing)).toEqual({ name: 'close-expired', payload: closing })
})

it('retriedJob › keeps the payload, and says who retried it and how often it was started', () => {
  const payload = { channel: 'acme/forest', rfqId: 'r1', cause: 'close' }
  const retried = { by: 'page ana', attempts: 2 }
  expect(retriedJob('rfq-report', payload, retried)).toEqual({ name: 'rfq-report', payload: { ...payload, retried } })
  const again = retriedJob('rfq-report', { ...payload, retried }, { by: 'page omar', attempts: 3 })
  expect(again.payload.retried).toEqual({ by: 'page omar', attempts: 3 })
  expect(() => retriedJob('rfq-report', null, retried)).toThrow(expect.objectContaining({ name: 'RefusedJobError' }))
})

it.each([
  [{ cause: 'tick' }, null],
  [{ cause: 'start' }, null],
  [{ cause: 'api omar' }, 'api omar'],
  [{ cause: 'tick', retried: { by: 'page ana', attempts: 1 } }, 'page ana'],
])('requestedBy › %j: %s', (payload, by) => expect(requestedBy(payload)).toBe(by))

it.each([
  ['no-such-job', { channel: 'acme/forest', cause: 'tick' }, 'unknown job name "no-such-job"'],
  ['constructor', { channel: 'acme/forest', cause: 'tick' }, 'unknown job name'],
  ['poll-rfqs', null, 'payload:'],
  ['poll-rfqs', { cause: 'tick' }, 'channel:'],
  ['poll-rfqs', { channel: 'forest', cause: 'tick' }, 'org/slug'],
  ['poll-rfqs', { channel: 'acme/forest', cause: 'tick', rfqId: 'r1' }, 'rfqId'],
  ['poll-rfqs', { channel: 'acme/forest', cause: 'tick', apiKey: 's3cret' }, 'apiKey'],
  ['rfq-report', { channel: 'acme/forest', cause: 'tick' }, 'rfqId:'],
  ['close-expired', { channel: 'acme/forest', cause: 'tick', rfqId: '' }, 'rfqId:'],
  ['close-expired', { channel: 'acme/forest', cause: 'tick', force: true }, 'force'],
])('parseJob › rejects %s %j with the reason', (name, data, message) => {
  expect(() => parseJob(name, data)).toThrow(expect.objectContaining({ name: 'RefusedJobError' }))
  expect(() => parseJob(name, data)).toThrow(message)
})

it('parseJob › does not repeat values of a rejected payload', () => {
  expect(() => parseJob('poll-rfqs', { channel: 'acme/forest', cause: 'tick', apiKey: 's3cret' })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('s3cret') }),
  )
})
