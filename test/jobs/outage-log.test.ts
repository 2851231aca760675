import { expect, it } from 'vitest'
import { createOutageLog } from '../../jobs/outage-log.js'
import { recordingLog } from '../helpers/recording-log.js'

it('an outage is one line when it begins and one when it ends, whatever fails meanwhile', () => {
  const log = recordingLog()
  const onOutcome = createOutageLog(log, 'the queue at redis://host')
  for (let round = 0; round < 3; round++) {
    onOutcome(null)
    const began = performance.now()
    for (const reason of ['connect ECONNREFUSED', 'Connection is closed.', 'connect ECONNREFUSED'])
      onOutcome(new Error(reason))
    onOutcome(null)
    onOutcome(new Error('no response'), began - 1)
  }
  expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual(
    Array(3)
      .fill([
        {
          level: 'error',
          message: 'the queue at redis://host is unavailable; retrying',
          facts: { reason: 'connect ECONNREFUSED' },
        },
        { level: 'info', message: 'the queue at redis://host is available again', facts: {} },
      ])
      .flat(),
  )
})
