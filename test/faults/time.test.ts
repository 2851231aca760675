import { readdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createInProcessRunner } from '../../jobs/in-process-runner.js'
import { createSchedule } from '../../jobs/schedule.js'
import { run } from '../../src/cli/program.js'
import { recordingHandlers } from '../helpers/recording-handlers.js'
import { recordingLog } from '../helpers/recording-log.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'
import { fault } from './fault-test.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BEAT = 10 * MINUTE

/** The moments of the 2020s at which the clocks of a zone change. */
function changesOf(zone: string): number[] {
  const wall = wallOf(zone)
  const offset = (at: number) => wall(at) - at
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

/** What the clocks of a zone show at a moment, as if it were UTC. */
function wallOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`)
}

const changing = fc
  .constantFrom(...Intl.supportedValuesOf('timeZone'))
  .map((zone) => ({ zone, changes: changesOf(zone) }))
  .filter(({ changes }) => changes.length > 0)
  .chain(({ zone, changes }) => fc.record({ zone: fc.constant(zone), change: fc.constantFrom(...changes) }))

/** Lets a service beat every ten minutes from noon before a change of clocks to noon after it; when which jobs were done. */
async function live(expressions: { daily: string; often: string }, zone: string, change: number, restartAt: number) {
  const wall = wallOf(zone)
  const noon = (day: number) => Math.floor(wall(change) / DAY) * DAY + day * DAY + DAY / 2
  // Noon is never within three hours of a change, so the offsets of half a day around it are those of noon.
  const [from, to] = [noon(-1) - (wall(change - MINUTE) - (change - MINUTE)), noon(1) - (wall(change) - change)]
  const { handlers, done } = recordingHandlers()
  const runner = createInProcessRunner({ concurrency: 4, log: recordingLog() })
  await runner.work(handlers)
  let now = from
  const schedule = { listings: null, rfqs: null, closeExpired: expressions.often, channelReport: expressions.daily }
  const config = testConfig({ schedule, scheduleTimeZone: zone })
  const serve = () => createSchedule({ config, enqueue: runner.enqueue, now: () => new Date(now), log: recordingLog() })
  let service = serve()
  const times: Record<string, number[]> = { 'channel-report': [], 'close-expired': [] }
  for (now = from + BEAT; now <= to; now += BEAT) {
    const before = done.length
    await service.tick()
    if (now === from + restartAt * BEAT) service = serve()
    await new Promise(setImmediate)
    for (const { name } of done.slice(before)) times[name]?.push(now)
  }
  await runner.close(0)
  return { daily: times['channel-report'] ?? [], often: times['close-expired'] ?? [], beats: (to - from) / BEAT }
}

fault(41, 'a daily job is done once on both days, in every time zone', async () => {
  const time = fc.record({ hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }) })
  await fc.assert(
    fc.asyncProperty(changing, time, fc.nat({ max: 300 }), async ({ zone, change }, { hour, minute }, restart) => {
      const expressions = { daily: `${minute} ${hour} * * *`, often: '*/10 * * * *' }
      const { daily, often, beats } = await live(expressions, zone, change, restart)
      expect(daily).toHaveLength(2)
      expect(often).toHaveLength(beats)
    }),
    { numRuns: 25 },
  )
})

const SOUND = {
  schedule: 'closeExpired: "*/10 * * * *"',
  zone: 'Europe/Paris',
  date: '2026-01-31',
}

/** What `sync` says to a configuration with one mistake in it. */
async function synced(mistake: Partial<typeof SOUND>) {
  const { schedule, zone, date } = { ...SOUND, ...mistake }
  const folder = testFolder()
  const { io, written } = testIo({ cwd: folder, env: { ACME_API_KEY: 'key-of-acme' } })
  const file = `${folder}/quotekeeper.yaml`
  writeFileSync(
    file,
    `baseUrl: http://127.0.0.1:1
channels:
  - { org: acme, channel: forest, apiKey: { env: ACME_API_KEY }, autoClose: on, timeZone: ${zone} }
schedule: { ${schedule} }
reports: { currency: EUR, exchangeRates: { USD: { rate: 1, date: ${date} } } }
requests: { retries: 0 }
`,
  )
  const status = await run(['sync'], io)
  return { status, err: written.err, files: readdirSync(folder) }
}

const mistakes: (readonly [keyof typeof SOUND, string, RegExp])[] = [
  ...['"61 * * * *"', '"* * * *"', '"every day"', '"*/0 * * * *"', '"0 0 31 2 *"', '5', '""', '"* * * * * * *"'].map(
    (cron) => ['schedule', `rfqs: ${cron}`, /yaml:4 .*schedule\.rfqs.*a cron expression in quotes/s] as const,
  ),
  ...['Mars/Olympus', '"+02:00"', 'Europe/Pariss', '""', '2', 'null'].map(
    (zone) => ['zone', zone, /yaml:3 .*timeZone.*a time zone of the IANA database/s] as const,
  ),
  ...['2026-02-30', 'soon', '31.12.2025', '2026-1-1', '20260101', '2026-01-01T00:00:00Z'].map(
    (date) => ['date', date, /yaml:5 .*exchangeRates\.USD\.date.*a date, YYYY-MM-DD/s] as const,
  ),
]

fault(42, 'with exit status 2, the line and what is allowed; nothing is opened', async () => {
  for (const [key, value, words] of mistakes) {
    const { status, err, files } = await synced({ [key]: value })
    expect({ value, status, err, files }).toEqual({
      ...{ value, status: 2, files: ['quotekeeper.yaml'] },
      err: expect.stringMatching(words),
    })
  }
})
fault(42, 'and the same configuration without the mistake is taken', async () => {
  expect(await synced({})).toMatchObject({ status: 1, err: expect.stringMatching(/127\.0\.0\.1:1/) })
})
