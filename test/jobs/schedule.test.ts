import { afterEach, describe, expect, it, vi } from 'vitest'
import { repeat } from '../../jobs/repeat.js'
import { createSchedule, type ScheduleOptions } from '../../jobs/schedule.js'
import { recordingLog } from '../helpers/recording-log.js'
import { channelConfig as channel } from '../helpers/test-config.js'

const NEVER = { listings: null, rfqs: null, closeExpired: null, channelReport: null }

type Options = Omit<Partial<ScheduleOptions['config']>, 'schedule'> & {
  schedule: Partial<ScheduleOptions['config']['schedule']>
}

/** A schedule at 01:00:30 whose clocks only the test moves, with the jobs it enqueued: `close-expired acme/forest tick 01:05:00`. */
function createTestSchedule({ schedule, ...options }: Options, clock?: () => Date) {
  let time = new Date('2026-11-21T01:00:30Z')
  const now = clock ?? (() => time)
  let elapsed = 0
  let queue: Promise<unknown> = Promise.resolve()
  const enqueued: string[] = []
  const log = recordingLog()
  const enqueue: ScheduleOptions['enqueue'] = async (name, payload) => {
    await queue
    return String(enqueued.push(`${name} ${payload.channel} ${payload.cause} ${now().toISOString().slice(11, 19)}`))
  }
  const config = { channels: [channel('acme/forest')], scheduleTimeZone: 'UTC', ...options }
  const create = () =>
    createSchedule({
      config: { ...config, schedule: { ...NEVER, ...schedule } },
      ...{ enqueue, now, elapsed: () => elapsed, log },
    })
  let running = create()
  return {
    ...{ enqueued, log },
    schedule: () => running,
    restart: () => {
      running = create()
    },
    /** Ticks at a moment of that day, or at a date. */
    at: async (moment: string) => {
      time = new Date(moment.length === 8 ? `2026-11-21T${moment}Z` : moment)
      await running.tick()
    },
    setClock: (byMs: number) => {
      time = new Date(time.getTime() + byMs)
    },
    pass: (milliseconds: number) => {
      elapsed += milliseconds
      time = new Date(time.getTime() + milliseconds)
    },
    /** What the queue answers from now on. */
    setQueue: (answer: Promise<unknown>) => {
      queue = answer
      queue.catch(() => undefined)
    },
  }
}

describe('schedule', () => {
  it.each<[string, Options, ticks: string[], enqueued: string[]]>([
    [
      'each job that became due, and none before',
      { schedule: { closeExpired: '*/5 * * * *' } },
      ['01:04:59', '01:05:00', '01:06:00'],
      ['close-expired acme/forest tick 01:05:00'],
    ],
    [
      'one job for many missed ticks',
      { schedule: { closeExpired: '*/5 * * * *' } },
      ['09:59:00'],
      ['close-expired acme/forest tick 09:59:00'],
    ],
    [
      'each poll once at the start, and nothing else',
      {
        schedule: {
          listings: '0 4 * * *',
          rfqs: '*/5 * * * *',
          closeExpired: '*/5 * * * *',
          channelReport: '0 6 * * *',
        },
      },
      ['01:01:00', '01:02:00'],
      ['poll-listings acme/forest start 01:01:00', 'poll-rfqs acme/forest start 01:01:00'],
    ],
    [
      'no closing for a channel with autoClose off',
      {
        channels: [channel('acme/forest', { autoClose: 'off' }), channel('acme/peat', { autoClose: 'dry-run' })],
        schedule: { closeExpired: '* * * * *' },
      },
      ['01:01:00'],
      ['close-expired acme/peat tick 01:01:00'],
    ],
    [
      'in the time zone of the schedule',
      { schedule: { channelReport: '0 6 * * *' }, scheduleTimeZone: 'Asia/Tokyo' },
      ['20:59:00', '21:00:10'],
      ['channel-report acme/forest tick 21:00:10'],
    ],
  ])('enqueues %s', async (_title, options, ticks, enqueued) => {
    const test = createTestSchedule(options)
    for (const tick of ticks) await test.at(tick)
    expect(test.enqueued).toEqual(enqueued)
  })

  it('retries a tick, and the poll at the start, that could not be enqueued', async () => {
    const { at, enqueued, setQueue } = createTestSchedule({
      schedule: { rfqs: '0 4 * * *', closeExpired: '0 2 * * *' },
    })
    setQueue(Promise.reject(new Error('the queue does not answer')))
    await expect(at('02:00:00')).rejects.toThrow('the queue does not answer')
    setQueue(Promise.resolve())
    await at('02:01:00')
    await at('02:02:00')
    expect(enqueued).toEqual(['poll-rfqs acme/forest start 02:01:00', 'close-expired acme/forest tick 02:01:00'])
  })

  const HOUR = 3_600_000
  it.each([
    ['an hour forward for half an hour and back', [HOUR, -HOUR]],
    ['eight minutes back and forward', [-480_000, 480_000]],
    ['an hour back', [-HOUR]],
    ['a year forward and back', [365 * 24 * HOUR, -365 * 24 * HOUR]],
  ])('delays no poll by more than an interval when its clock is set %s, also after a restart', async (_, jumps) => {
    for (const restarts of [false, true]) {
      const { schedule, setClock, restart, pass, enqueued } = createTestSchedule({ schedule: { rfqs: '*/5 * * * *' } })
      const minutes: number[] = []
      let minute = 0
      const passMinutes = async (count: number) => {
        for (const end = minute + count; minute < end; minute++) {
          pass(60_000)
          await schedule().tick()
          if (enqueued.splice(0).length > 0) minutes.push(minute)
        }
      }
      await passMinutes(60)
      for (const jump of jumps) {
        setClock(jump)
        if (restarts) restart()
        await passMinutes(30)
      }
      await passMinutes(60)
      const gaps = [...minutes.slice(1), minute].map((at, index) => at - (minutes[index] as number))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(5)
      expect(schedule().check().ok).toBe(true)
    }
  })

  it('is not ready when no tick came for three minutes, whatever the clock says, until one comes', async () => {
    const { schedule, pass, setClock, setQueue } = createTestSchedule({ schedule: { rfqs: '* * * * *' } })
    for (let round = 0; round < 2; round++) {
      await schedule().tick()
      let answer = (_: unknown) => {}
      setQueue(
        new Promise((resolve) => {
          answer = resolve
        }),
      )
      const hanging = schedule().tick()
      setClock(HOUR)
      pass(180_000)
      expect(schedule().check()).toEqual({ ok: true, message: 'enqueues jobs when they become due' })
      pass(1)
      expect(schedule().check()).toEqual({ ok: false, message: expect.stringContaining('no tick for 3 min') })
      answer(null)
      await hanging
    }
  })
})

describe('schedule driven by a timer', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ticks every minute until it is stopped, and catches up after the process was suspended', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T01:00:30Z') })
    const { schedule, enqueued, log } = createTestSchedule({ schedule: { rfqs: '*/2 * * * *' } }, () => new Date())
    const stop = repeat('enqueuing scheduled jobs', schedule().stepMs, schedule().tick, log)
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    vi.setSystemTime(new Date('2026-11-21T07:30:20Z')) // A laptop that slept: timers fire late.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(enqueued).toEqual([
      'poll-rfqs acme/forest start 01:00:30',
      'poll-rfqs acme/forest tick 01:02:00',
      'poll-rfqs acme/forest tick 01:04:00',
      'poll-rfqs acme/forest tick 07:30:50',
    ])
    await stop()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(enqueued).toHaveLength(4)
  })
})
