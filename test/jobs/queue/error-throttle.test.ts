import { expect, it } from 'vitest'
import { throttledErrorLog } from '../../../jobs/queue/error-throttle.js'
import { recordingLog } from '../../helpers/recording-log.js'

const connectionError = () => new Error('connect ECONNREFUSED')

it('a repeated queue error is logged once per interval', () => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  for (let count = 0; count < 100; count++) errorLog.error(connectionError())
  errorLog.error(new Error('READONLY'))
  const errors = log.lines.filter(({ level }) => level === 'error')
  expect(errors.map(({ facts }) => facts)).toEqual([
    { queue: 'redis://host', reason: 'connect ECONNREFUSED' },
    { queue: 'redis://host', reason: 'READONLY' },
  ])
  const unthrottled = throttledErrorLog(log, 'redis://host', 0)
  unthrottled.error(connectionError())
  unthrottled.error(connectionError())
  expect(log.at('error')).toHaveLength(4)
})

it.each([
  (id: number) => `Missing lock for job poll-rfqs_${id}. moveToFinished`,
  (id: number) => `Job poll-rfqs_${id} is not in the active state. moveToFinished`,
])('locks that jobs lost in an outage are one warning without a stack, however many jobs', (text) => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  for (let id = 1; id <= 6; id++) errorLog.error(new Error(text(id)))
  expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([
    {
      level: 'warn',
      facts: { queue: 'redis://host', reason: text(1) },
      message: expect.stringContaining('lost its lock'),
    },
  ])
})

it('the recovery of the queue is logged once, and only after an error', () => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  errorLog.recovered()
  errorLog.error(connectionError())
  errorLog.recovered()
  errorLog.recovered()
  expect(log.at('info')).toEqual(['queue available again'])
  errorLog.error(connectionError())
  expect(log.at('error')).toHaveLength(2)
})
