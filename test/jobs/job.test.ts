import { expect, it } from 'vitest'
import { parseJob, requestedBy } from '../../jobs/job.js'

it.each([
  ['tick', null],
  ['start', null],
  ['api omar', 'api omar'],
])('requestedBy › %s: %s', (cause, by) => expect(requestedBy({ channel: 'acme/forest', cause })).toBe(by))

it.each([
  ['no-such-job', { channel: 'acme/forest', cause: 'tick' }, 'unknown job name "no-such-job"'],
  ['constructor', { channel: 'acme/forest', cause: 'tick' }, 'unknown job name'],
  ['poll-rfqs', null, 'payload:'],
  ['poll-rfqs', { cause: 'tick' }, 'channel:'],
  ['poll-rfqs', { channel: 'forest', cause: 'tick' }, 'org/slug'],
  ['poll-rfqs', { channel: 'acme/forest', cause: 'tick', apiKey: 's3cret' }, 'apiKey'],
  ['close-expired', { channel: 'acme/forest', cause: 'tick', rfqId: '' }, 'rfqId:'],
  ['close-expired', { channel: 'acme/forest', cause: 'tick', force: true }, 'force'],
])('parseJob › rejects %s %j with the reason', (name, data, message) => {
  expect(() => parseJob(name, data)).toThrow(expect.objectContaining({ name: 'RefusedJobError' }))
  expect(() => parseJob(name, data)).toThrow(message)
  expect(() => parseJob(name, data)).not.toThrow('s3cret')
})
