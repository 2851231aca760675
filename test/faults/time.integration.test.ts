import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createInProcessRunner } from '../../jobs/queue/in-process-runner.js'
import { createSchedule } from '../../jobs/schedule.js'
import { shareOf } from '../helpers/long-tests.js'
import { recordingHandlers } from '../helpers/recording-handlers.js'
import { recordingLog } from '../helpers/recording-log.js'
import { testConfig } from '../helpers/test-config.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TICK = 10 * MINUTE

/** The moments in the 2020s at which a time zone's offset changes. */
function offsetChanges(zone: string): number[] {
  const local = localTimeIn(zone)
  const offset = (at: number) => local(at) - at
  const changes: number[] = []
  for (let at = Date.UTC(2020, 0); at < Date.UTC(2030, 0); at += 5 * DAY) {
    if (offset(at) === offset(at + 5 * DAY)) continue
    let [before, after] = [at, at + 5 * DAY]
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE
      if (offset(middle) === offset(at)) before = middle
      else after = middle
    }
    changes.push(after)
  }
  return changes
}

/** Converts a moment to a zone's local time, expressed as if it were UTC. */
function localTimeIn(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
}

const offsetChange = fc
  .constantFrom(...Intl.supportedValuesOf('timeZone'))
  .map((zone) => ({ zone, changes: offsetChanges(zone) }))
  .filter(({ changes }) => changes.length > 0)
  .chain(({ zone, changes }) => fc.record({ zone: fc.constant(zone), change: fc.constantFrom(...changes) }))

/** Runs a scheduler with a tick every ten minutes from the noon before an offset change to the noon after it. */
async function runScheduler(
  expressions: { daily: string; often: string },
  zone: string,
  change: number,
  restartAt: number,
) {
  const local = localTimeIn(zone)
  const noon = (day: number) => Math.floor(local(change) / DAY) * DAY + day * DAY + DAY / 2
  // No offset changes within three hours of noon, so the offset at noon holds for the nearby half day.
  const [from, to] = [noon(-1) - (local(change - MINUTE) - (change - MINUTE)), noon(1) - (local(change) - change)]
  const { handlers, done } = recordingHandlers()
  const runner = createInProcessRunner({ concurrency: 4, log: recordingLog() })
  await runner.work(handlers)
  let now = from
  const schedule = { listings: null, rfqs: null, closeExpired: expressions.often, channelReport: expressions.daily }
  const config = testConfig({ schedule, scheduleTimeZone: zone })
  const startSchedule = () =>
    createSchedule({ config, enqueue: runner.enqueue, now: () => new Date(now), log: recordingLog() })
  let service = startSchedule()
  const times: Record<string, number[]> = { 'channel-report': [], 'close-expired': [] }
  for (now = from + TICK; now <= to; now += TICK) {
    const before = done.length
    await service.tick()
    if (now === from + restartAt * TICK) service = startSchedule()
    await new Promise(setImmediate)
    for (const { name } of done.slice(before)) times[name]?.push(now)
  }
  await runner.close(0)
  return { daily: times['channel-report'] ?? [], often: times['close-expired'] ?? [], ticks: (to - from) / TICK }
}

it('a daylight saving change at a tick: a daily job runs once on both days, in every time zone', async () => {
  const time = fc.record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }) })
  await fc.assert(
    fc.asyncProperty(offsetChange, time, fc.nat({ max: 300 }), async ({ zone, change }, { hour, minute }, restart) => {
      const expressions = { daily: `${minute} ${hour} * * *`, often: '*/10 * * * *' }
      const { daily, often, ticks } = await runScheduler(expressions, zone, change, restart)
      expect(daily).toHaveLength(2)
      expect(often).toHaveLength(ticks)
    }),
    { numRuns: shareOf(25) },
  )
})
