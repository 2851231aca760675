import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JobPayload } from '../../jobs/contract.js'
import { createSchedule, type ScheduleOptions } from '../../jobs/schedule.js'
import { recordingLog } from '../helpers/recording-log.js'
import { channelConfig as channel } from '../helpers/test-config.js'

const NEVER = { listings: null, rfqs: null, closeExpired: null, channelReport: null }

/** A job id without its random number and milliseconds. */
/** `close-expired_acme_forest_20261121T010500Z`. */
const describeJob = (name: string, { channel }: JobPayload, at: Date) =>
  `${name}_${channel.replace('/', '_')}_${at.toISOString().replace(/[-:]|\.000/g, '')}`

/** A schedule whose clock only the test moves, with the jobs it enqueued. */
function createTestSchedule(options: Partial<ScheduleOptions['config']> = {}, time = '2026-11-21T01:00:30Z') {
  let now = new Date(time)
  let queueDown = false
  const enqueued: { id: string; payload: JobPayload }[] = []
  const log = recordingLog()
  const enqueue: ScheduleOptions['enqueue'] = async (name, payload) => {
    if (queueDown) throw new Error('the queue does not answer')
    const id = describeJob(name, payload, now)
    enqueued.push({ id, payload })
    return id
  }
  const config = { channels: [channel('acme/forest')], schedule: NEVER, scheduleTimeZone: 'UTC', ...options }
  const create = () => createSchedule({ config, enqueue, now: () => now, log })
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
  it('enqueues each job that became due', async () => {
    const { at, enqueued } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T01:04:59Z')
    expect(enqueued).toEqual([])
    await at('2026-11-21T01:05:00Z')
    expect(enqueued).toEqual([
      { id: 'close-expired_acme_forest_20261121T010500Z', payload: { channel: 'acme/forest', cause: 'tick' } },
    ])
  })

  it('enqueues one job for many missed ticks', async () => {
    const { at, ids } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T09:59:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T095900Z'])
  })

  it('retries a tick that could not be enqueued', async () => {
    const { at, ids, setQueueDown, log } = createTestSchedule({ schedule: { ...NEVER, closeExpired: '0 2 * * *' } })
    setQueueDown(true)
    await at('2026-11-21T02:00:00Z')
    expect(log.at('error')).toHaveLength(1)
    setQueueDown(false)
    await at('2026-11-21T02:01:00Z')
    await at('2026-11-21T02:02:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T020100Z'])
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
      { id: 'poll-listings_acme_forest_20261121T010100Z', payload: { channel: 'acme/forest', cause: 'start' } },
      { id: 'poll-rfqs_acme_forest_20261121T010100Z', payload: { channel: 'acme/forest', cause: 'start' } },
    ])
  })

  it('schedules no closing for a channel with autoClose off', async () => {
    const channels = [channel('acme/forest', { autoClose: 'off' }), channel('acme/peat', { autoClose: 'dry-run' })]
    const { at, ids } = createTestSchedule({ channels, schedule: { ...NEVER, closeExpired: '* * * * *' } })
    await at('2026-11-21T01:01:00Z')
    expect(ids()).toEqual(['close-expired_acme_peat_20261121T010100Z'])
  })

  it('applies the time zone of the schedule', async () => {
    const { at, ids } = createTestSchedule({
      schedule: { ...NEVER, channelReport: '0 6 * * *' },
      scheduleTimeZone: 'Asia/Tokyo',
    })
    await at('2026-11-21T21:00:10Z')
    expect(ids()).toEqual(['channel-report_acme_forest_20261121T210010Z'])
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
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T010500Z'])
  })
})

/** Two services whose schedules share a queue, each with a clock that only the test sets, through a day. */
function twoServices(cron: string) {
  const start = Date.parse('2026-11-21T00:00:30Z')
  let elapsed = 0
  const queue = new Map<string, number>()
  const log = recordingLog()
  const aheadMs = [0, 0]
  const now = (service: number) => new Date(start + elapsed + (aheadMs[service] ?? 0))
  const create = (service: number) =>
    createSchedule({
      config: {
        channels: [channel('acme/forest')],
        schedule: { ...NEVER, rfqs: cron, channelReport: '0 6 * * *' },
        scheduleTimeZone: 'UTC',
      },
      enqueue: async (name, payload) => {
        const id = `${describeJob(name, payload, now(service))} ${queue.size}`
        queue.set(id, elapsed)
        return id
      },
      now: () => now(service),
      elapsed: () => elapsed,
      log,
    })
  const services = [create(0), create(1)]
  return {
    services,
    setClock: (service: number, ahead: number) => {
      aheadMs[service] = ahead
    },
    restart: (service: number) => {
      services[service] = create(service)
    },
    /** Lets minutes pass. @returns how many of them have passed since the day began when each job was enqueued */
    async pass(minutes: number, ticking = [0, 1]) {
      const before = queue.size
      for (let minute = 0; minute < minutes; minute++) {
        elapsed += 60_000
        for (const service of ticking) await services[service]?.tick()
      }
      return [...queue.entries()].slice(before).map(([id, at]) => ({ id, minute: at / 60_000 }))
    },
  }
}

describe('a clock that is set', () => {
  const polls = (jobs: { id: string; minute: number }[]) => jobs.filter(({ id }) => id.startsWith('poll-rfqs'))
  const HOUR = 3_600_000

  it.each([
    ['an hour forward for half an hour and back', [HOUR, 0]],
    ['ten minutes forward and back', [600_000, 0]],
    ['eight minutes back and forward', [-480_000, 0]],
    ['an hour back', [-HOUR, -HOUR]],
    ['a year forward and back', [365 * 24 * HOUR, 0]],
  ])('delays no poll by more than an interval, also after a restart: %s', async (_, jumps) => {
    for (const restarts of [false, true]) {
      const { services, setClock, restart, pass } = twoServices('*/5 * * * *')
      const enqueued = polls(await pass(60, [0]))
      for (const ahead of jumps) {
        setClock(0, ahead)
        if (restarts) restart(0)
        enqueued.push(...polls(await pass(30, [0])))
      }
      enqueued.push(...polls(await pass(120, [0])))
      const gaps = enqueued.slice(1).map(({ minute }, at) => minute - (enqueued[at]?.minute ?? 0))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(5)
      expect(enqueued.at(-1)?.minute).toBeGreaterThan(60 + 60 + 120 - 6)
      expect(services[0]?.check().ok).toBe(true)
    }
  })

  it('of one of two services on one queue keeps the other from no tick', async () => {
    const { setClock, pass } = twoServices('*/5 * * * *')
    await pass(30)
    setClock(1, HOUR)
    await pass(90)
    setClock(1, 0)
    const minutes = polls(await pass(60, [0, 1])).map(({ minute }) => minute)
    for (let due = 124.5; due < 180; due += 5)
      expect(minutes.some((minute) => Math.abs(minute - due) <= 0.5)).toBe(true)
  })
})

describe('ticks that do not come', () => {
  it('make the schedule not ready after three minutes, whatever the clock says, until one comes', async () => {
    let elapsed = 0
    let hangs: Promise<boolean> | null = null
    let answer = (_: boolean) => {}
    const config = {
      channels: [channel('acme/forest')],
      schedule: { ...NEVER, rfqs: '* * * * *' },
      scheduleTimeZone: 'UTC',
    }
    const schedule = createSchedule({
      config,
      enqueue: async () => ((await hangs) === false ? null : 'a job'),
      now: () => new Date('2026-11-21T01:00:30Z'),
      elapsed: () => elapsed,
      log: recordingLog(),
    })
    for (let round = 0; round < 6; round++) {
      await schedule.tick()
      hangs = new Promise((resolve) => {
        answer = resolve
      })
      elapsed += 180_000
      expect(schedule.check()).toEqual({ ok: true, message: 'enqueues jobs when they become due' })
      elapsed += 1
      expect(schedule.check()).toEqual({
        ok: false,
        message: expect.stringContaining('no tick for 3 min'),
      })
      answer(true)
      hangs = null
    }
  })
})

describe('schedule driven by a timer', () => {
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
      enqueue: async (name, payload) => String(enqueued.push(describeJob(name, payload, new Date()))),
      now: () => new Date(),
      log: recordingLog(),
    })
    schedule.start()
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect(enqueued).toEqual([
      'poll-rfqs_acme_forest_20261121T010030Z',
      'poll-rfqs_acme_forest_20261121T010200Z',
      'poll-rfqs_acme_forest_20261121T010400Z',
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
      enqueue: async (name, payload) => String(enqueued.push(describeJob(name, payload, new Date()))),
      now: () => new Date(),
      log: recordingLog(),
    })
    schedule.start()
    vi.setSystemTime(new Date('2026-11-21T07:30:20Z')) // A laptop that slept: timers fire late.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(enqueued).toEqual(['close-expired_acme_forest_20261121T073020Z'])
    await schedule.stop()
  })
})
