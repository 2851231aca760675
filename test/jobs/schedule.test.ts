import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JobPayload } from '../../jobs/contract.js'
import { createSchedule, type ScheduleOptions } from '../../jobs/schedule.js'
import { recordingLog } from '../helpers/recording-log.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { channelConfig as channel } from '../helpers/test-config.js'

const NEVER = { listings: null, rfqs: null, closeExpired: null, channelReport: null }

/** A schedule whose clock only the test moves, with the jobs it enqueued. */
function createTestSchedule(options: Partial<ScheduleOptions['config']> = {}, time = '2026-11-21T01:00:30Z') {
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

/** Two services whose schedules share a queue and a database, each with a clock that only the test sets, through a day. */
async function twoServices(cron: string) {
  const start = Date.parse('2026-11-21T00:00:30Z')
  const store = await openNewStore()
  onTestFinished(() => store.close())
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
      enqueue: async (_name, _payload, id) => {
        if (queue.has(id)) return false
        queue.set(id, elapsed)
        return true
      },
      now: () => now(service),
      elapsed: () => elapsed,
      setBacks: (at) => store.clockSetBacks(at),
      log,
    })
  const services = [create(0), create(1)]
  return {
    log,
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
      const { services, setClock, restart, pass } = await twoServices('*/5 * * * *')
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
    const { setClock, pass } = await twoServices('*/5 * * * *')
    await pass(30)
    setClock(1, HOUR)
    await pass(90)
    setClock(1, 0)
    const minutes = polls(await pass(60, [0, 1])).map(({ minute }) => minute)
    for (let due = 124.5; due < 180; due += 5)
      expect(minutes.some((minute) => Math.abs(minute - due) <= 0.5)).toBe(true)
  })

  it('is logged once, and polls run at once when it was set back; a tick of the same moment is enqueued once otherwise', async () => {
    const { log, setClock, pass } = await twoServices('0 * * * *')
    await pass(130)
    const warnings = () =>
      log.lines.flatMap(({ level, facts, message }) => (level === 'warn' ? [{ facts, message }] : []))
    expect(warnings()).toEqual([])
    setClock(0, -HOUR / 2)
    const jobs = await pass(10, [0])
    expect(warnings()).toEqual([{ facts: { seconds: -1800 }, message: expect.stringContaining('set back') }])
    // At once, and at the hour that comes again.
    expect(jobs).toEqual([{ id: 'poll-rfqs_acme_forest_20261121T0141Z-1', minute: 131 }])
    expect(await pass(9, [0])).toEqual([])
    expect(await pass(1, [0])).toEqual([{ id: 'poll-rfqs_acme_forest_20261121T0200Z-1', minute: 150 }])
    setClock(0, 2 * HOUR)
    await pass(1, [0])
    expect(warnings().slice(1)).toEqual([
      {
        facts: { seconds: 9000 },
        message: expect.stringMatching(/set forward, or .*suspended/),
      },
    ])
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
      enqueue: async () => (await hangs) ?? true,
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
