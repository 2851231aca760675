import { describe, expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { openProcessFixture, type RunningProcess } from '../helpers/servers/process-fixture.js'

interface LogLine {
  level: string
  msg: string
  job?: string
  id?: string
  added?: boolean
}
const linesOf = ({ out }: RunningProcess) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)
const enqueuedBy = (process: RunningProcess, job: string) =>
  linesOf(process).flatMap((line) => (line.job === job && line.added && line.id !== undefined ? [line.id] : []))

describe('two services on one database, with a queue each', () => {
  it('make the report of each tick once, and check names them', async () => {
    const more = 'schedule: { listings: null, rfqs: null, closeExpired: null, channelReport: "* * * * * *" }\n'
    const fixture = await openProcessFixture({ rfqs: 1, more })
    expect(await fixture.run('sync')).toMatchObject({ status: 0 })
    const services = [1, 2].map(() => fixture.start(['--log-level', 'debug', 'start']))
    const ids = () => services.flatMap((service) => enqueuedBy(service, 'channel-report'))
    const skipped = () => services.flatMap(linesOf).filter(({ job, added }) => job === 'channel-report' && !added)
    const ticks = 5
    await eventually(() => {
      expect(ids().length).toBeGreaterThanOrEqual(ticks)
      expect(skipped().length).toBeGreaterThanOrEqual(ticks)
    })
    const { out } = await fixture.run('check', '--json')
    expect(JSON.parse(out)).toContainEqual(
      expect.objectContaining({ what: 'queue', found: expect.stringMatching(/not all of them on one queue$/) }),
    )
    for (const service of services) service.signal('SIGTERM')
    expect(await Promise.all(services.map(({ ended }) => ended))).toEqual(['exit 0', 'exit 0'])
    expect(ids()).toEqual([...new Set(ids())])
    const [{ made }] = fixture.sql("select count(*) as made from reports where made_by = 'schedule'") as [
      { made: number },
    ]
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThanOrEqual(ids().length)
  })

  // The warning itself is in other-services.test.ts.
  it('warn of each other, as check does, until one has stopped', async () => {
    const fixture = await openProcessFixture({ rfqs: 1 })
    const start = async () => {
      const service = fixture.start(['start'])
      await eventually(() => expect(service.out).toContain('quotekeeper started'))
      return service
    }
    const warningsOf = (service: RunningProcess) =>
      linesOf(service).flatMap(({ level, msg }) => (level === 'warn' && msg.includes('another queue') ? [msg] : []))
    const check = async () => {
      const { status, out } = await fixture.run('check', '--json')
      const queue = (JSON.parse(out) as { what: string }[]).find(({ what }) => what === 'queue')
      return { status, found: '', remedy: '', ...queue }
    }
    const first = await start()
    expect(warningsOf(first)).toEqual([])
    const one = `start (process ${first.pid}) on this machine`
    expect(await check()).toMatchObject({ status: 0, found: expect.stringContaining(one), remedy: '' })
    const second = await start()
    expect(warningsOf(second)).toEqual([expect.stringContaining(one)])
    expect(warningsOf(second)[0]).toContain('set queue: redis://')
    const two = `start (process ${second.pid}) on this machine`
    expect(await check()).toMatchObject({
      status: 0,
      found: expect.stringMatching(
        /: .* start \(process \d+\) .*, .* start \(process \d+\) .*, not all of them on one queue$/,
      ),
      remedy: expect.stringContaining('queue: redis://'),
    })
    expect((await check()).found).toContain(two)
    first.signal('SIGKILL')
    await first.ended
    expect(await check()).toMatchObject({ status: 0, found: expect.not.stringContaining(one), remedy: '' })
    second.signal('SIGTERM')
    expect(await second.ended).toBe('exit 0')
    expect(await check()).toMatchObject({ found: 'jobs run in this process', remedy: '' })
  })
})
