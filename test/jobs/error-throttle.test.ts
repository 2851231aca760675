import { expect, it } from 'vitest'
import { throttledErrorLog } from '../../jobs/error-throttle.js'
import { recordingLog } from '../helpers/recording-log.js'

const connectionError = () => new Error('connect ECONNREFUSED')

it('a repeated queue error is logged once per interval', () => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  for (let count = 0; count < 100; count++) errorLog.error(connectionError())
  errorLog.error(new Error('READONLY'))
  expect(log.lines.map(({ facts }) => (facts.err as Error).message)).toEqual(['connect ECONNREFUSED', 'READONLY'])
  const unthrottled = throttledErrorLog(log, 'redis://host', 0)
  unthrottled.error(connectionError())
  unthrottled.error(connectionError())
  expect(log.lines).toHaveLength(4)
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
