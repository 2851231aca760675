import { expect, it } from 'vitest'
import { throttledErrorLog } from '../../jobs/error-throttle.js'
import { recordingLog } from '../helpers/recording-log.js'

const gone = () => new Error('connect ECONNREFUSED')

it('an error that comes again and again is told once in a while', () => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  for (let count = 0; count < 100; count++) errorLog.error(gone())
  errorLog.error(new Error('READONLY'))
  expect(log.lines.map(({ facts }) => (facts.err as Error).message)).toEqual(['connect ECONNREFUSED', 'READONLY'])
  const always = throttledErrorLog(log, 'redis://host', 0)
  always.error(gone())
  always.error(gone())
  expect(log.lines).toHaveLength(4)
})

it('that the queue is back is told once, and only after an error', () => {
  const log = recordingLog()
  const errorLog = throttledErrorLog(log, 'redis://host')
  errorLog.recovered()
  errorLog.error(gone())
  errorLog.recovered()
  errorLog.recovered()
  expect(log.at('info')).toEqual(['queue available again'])
  errorLog.error(gone())
  expect(log.at('error')).toHaveLength(2)
})
