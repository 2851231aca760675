import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JobPayload } from '../../jobs/contract.js'
import { createSchedule, type ScheduleOptions } from '../../jobs/schedule.js'
import { recordingLog } from '../helpers/recording-log.js'
import { channelConfig as channel } from '../helpers/test-config.js'

const NEVER = { listings: null, rfqs: null, closeExpired: null, channelReport: null }

/** A schedule whose clock only the test moves, with the jobs it enqueued. */
function createTestSchedule(
  options: Partial<ScheduleOptions['config']> = {},
  time = '2026-11-21T01:00:30Z',
  claim?: ScheduleOptions['claim'],
) {
  let now = new Date(time)
  let queueDown = false
  const enqueuedIds = new Set<string>()
  const enqueued: { id: string; payload: JobPayload }[] = []
  const log = recordingLog()
  const enqueue: ScheduleOptions['enqueue'] = async (_name, payload, id) => {
    if (queueDown) throw new Error('the queue does not answer')
    if (enqueuedIds.has(id)) return false
    enqueuedIds.add(id)
    enqueued.push({ id, payload })
    return true
  }
  const config = { channels: [channel('acme/forest')], schedule: NEVER, scheduleTimeZone: 'UTC', ...options }
  const create = () => createSchedule({ config, enqueue, now: () => now, log, ...(claim && { claim }) })
  const schedule = create()
  return {
    schedule,
    create,
    enqueued,
    log,
    ids: () => enqueued.map(({ id }) => id),
    at: async (moment: string) => {
      now = new Date(moment)
      await schedule.tick()
    },
    setQueueDown: (value: boolean) => {
      queueDown = value
    },
  }
}

describe('schedule', () => {
  it('enqueues each job that became due, with an id of name, channel and tick', async () => {
    const { at, enqueued } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T01:04:59Z')
    expect(enqueued).toEqual([])
    await at('2026-11-21T01:05:00Z')
    expect(enqueued).toEqual([
      { id: 'close-expired_acme_forest_20261121T0105Z', payload: { channel: 'acme/forest', cause: 'tick' } },
    ])
  })

  it('enqueues one job for many missed ticks', async () => {
    const { at, ids } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T09:59:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0955Z'])
  })

  it('retries a tick that could not be enqueued', async () => {
    const { at, ids, setQueueDown, log } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '0 2 * * *' } })
    setQueueDown(true)
    await at('2026-11-21T02:00:00Z')
    expect(log.at('error')).toHaveLength(1)
    setQueueDown(false)
    await at('2026-11-21T02:01:00Z')
    await at('2026-11-21T02:02:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0200Z'])
  })

  it('enqueues each poll once at the start, and nothing else', async () => {
    const schedule = {
      listings: '0 4 * * *',
      rfqs: '*/5 * * * *',
      closeExpired: '*/5 * * * *',
      channelReport: '0 6 * * *',
    }
    const { at, enqueued, setQueueDown } = createTestSchedule({ schedule })
    setQueueDown(true)
    await at('2026-11-21T01:00:31Z')
    setQueueDown(false)
    await at('2026-11-21T01:01:00Z')
    await at('2026-11-21T01:02:00Z')
    expect(enqueued).toEqual([
      { id: 'poll-listings_acme_forest_20261121T0100Z', payload: { channel: 'acme/forest', cause: 'start' } },
      { id: 'poll-rfqs_acme_forest_20261121T0100Z', payload: { channel: 'acme/forest', cause: 'start' } },
    ])
  })

  it('enqueues one job if two services start within a minute', async () => {
    const { schedule, create, ids } = createTestSchedule({ schedule: { ...NEVER, rfqs: '*/5 * * * *' } })
    await Promise.all([schedule.tick(), create().tick()])
    expect(ids()).toHaveLength(1)
  })

  it('enqueues only the ticks that it claims, and claims a tick again if that failed', async () => {
    const answers: (boolean | Error)[] = [new Error('the database is locked'), true, false]
    const claimed: string[] = []
    const claim = async ({ name, channel: key }: { name: string; channel: string }, tick: Date) => {
      claimed.push(`${name} ${key} ${tick.toISOString()}`)
      const answer = answers.shift() ?? true
      if (answer instanceof Error) throw answer
      return answer
    }
    const options = { schedule: { ...NEVER, channelReport: '*/5 * * * *' } }
    const { at, ids } = createTestSchedule(options, '2026-11-21T01:00:30Z', claim)
    for (const minute of ['05', '06', '10', '11', '15']) await at(`2026-11-21T01:${minute}:00Z`)
    const tick = (minute: string) => `channel-report acme/forest 2026-11-21T01:${minute}:00.000Z`
    expect(claimed).toEqual([tick('05'), tick('05'), tick('10'), tick('15')])
    expect(ids()).toEqual(['channel-report_acme_forest_20261121T0105Z', 'channel-report_acme_forest_20261121T0115Z'])
  })

  it('schedules no closing for a channel with autoClose off', async () => {
    const channels = [channel('acme/forest', { autoClose: 'off' }), channel('acme/peat', { autoClose: 'dry-run' })]
    const { at, ids } = createTestSchedule({ channels, schedule: { ...NEVER, closeExpired: '* * * * *' } })
    await at('2026-11-21T01:01:00Z')
    expect(ids()).toEqual(['close-expired_acme_peat_20261121T0101Z'])
  })

  it('applies the time zone of the schedule', async () => {
    const { at, ids } = createTestSchedule({
      schedule: { ...NEVER, channelReport: '0 6 * * *' },
      scheduleTimeZone: 'Asia/Tokyo',
    })
    await at('2026-11-21T21:00:10Z')
    expect(ids()).toEqual(['channel-report_acme_forest_20261121T2100Z'])
  })

  it('enqueues every tick of an expression with seconds', async () => {
    const { at, ids } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '*/10 * * * * *' } })
    await at('2026-11-21T01:00:40Z')
    await at('2026-11-21T01:00:50Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T010040Z', 'close-expired_acme_forest_20261121T010050Z'])
  })

  it('continues when the clock is set back', async () => {
    const { at, ids } = createTestSchedule(
      { schedule: { ...NEVER, closeExpired: '*/5 * * * *' } },
      '2026-11-21T03:00:30Z',
    )
    await at('2026-11-21T01:02:00Z')
    await at('2026-11-21T01:05:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0105Z'])
  })
})

describe('schedule driven by node-cron', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ticks every minute until it is stopped', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T01:00:30Z') })
    const enqueued: string[] = []
    const schedule = createSchedule({
      config: {
        channels: [channel('acme/forest')],
        schedule: { ...NEVER, rfqs: '*/2 * * * *' },
        scheduleTimeZone: 'UTC',
      },
      enqueue: async (_name, _payload, id) => enqueued.push(id) > 0,
      now: () => new Date(),
      log: recordingLog(),
    })
    schedule.start()
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect(enqueued).toEqual([
      'poll-rfqs_acme_forest_20261121T0100Z',
      'poll-rfqs_acme_forest_20261121T0102Z',
      'poll-rfqs_acme_forest_20261121T0104Z',
    ])
    await schedule.stop()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(enqueued).toHaveLength(3)
  })

  it('catches up after the process was suspended', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T01:00:30Z') })
    const enqueued: string[] = []
    const schedule = createSchedule({
      config: {
        channels: [channel('acme/forest')],
        schedule: { ...NEVER, closeExpired: '0 * * * *' },
        scheduleTimeZone: 'UTC',
      },
      enqueue: async (_name, _payload, id) => enqueued.push(id) > 0,
      now: () => new Date(),
      log: recordingLog(),
    })
    schedule.start()
    vi.setSystemTime(new Date('2026-11-21T07:30:20Z')) // A laptop that slept: timers fire late.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(enqueued).toEqual(['close-expired_acme_forest_20261121T0700Z'])
    await schedule.stop()
  })
})
