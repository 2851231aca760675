import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JobPayload } from '../../jobs/contract.js'
import { createSchedule, type ScheduleOptions } from '../../jobs/schedule.js'
import { recordingLog } from '../helpers/recording-log.js'
import { channelConfig as channel } from '../helpers/test-config.js'

const NEVER = { listings: null, rfqs: null, closeExpired: null, channelReport: null }

/** A schedule on a clock that only the test moves, and what it enqueued. */
function desk(options: Partial<ScheduleOptions['config']> = {}, time = '2026-11-21T01:00:30Z') {
  let now = new Date(time)
  let away = false
  const known = new Set<string>()
  const enqueued: { id: string; payload: JobPayload }[] = []
  const log = recordingLog()
  const enqueue: ScheduleOptions['enqueue'] = async (_name, payload, id) => {
    if (away) throw new Error('the queue does not answer')
    if (known.has(id)) return false
    known.add(id)
    enqueued.push({ id, payload })
    return true
  }
  const config = { channels: [channel('acme/forest')], schedule: NEVER, scheduleTimeZone: 'UTC', ...options }
  const make = () => createSchedule({ config, enqueue, now: () => now, log })
  const schedule = make()
  return {
    schedule,
    make,
    enqueued,
    log,
    ids: () => enqueued.map(({ id }) => id),
    at: async (moment: string) => {
      now = new Date(moment)
      await schedule.tick()
    },
    setAway: (value: boolean) => {
      away = value
    },
  }
}

describe('a beat', () => {
  it('enqueues what fell due, by name, channel and tick', async () => {
    const { at, enqueued } = desk({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T01:04:59Z')
    expect(enqueued).toEqual([])
    await at('2026-11-21T01:05:00Z')
    expect(enqueued).toEqual([
      { id: 'close-expired_acme_forest_20261121T0105Z', payload: { channel: 'acme/forest', cause: 'tick' } },
    ])
  })

  it('makes one run of many missed ticks', async () => {
    const { at, ids } = desk({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } })
    await at('2026-11-21T09:59:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0955Z'])
  })

  it('tries a tick again that the queue did not take', async () => {
    const { at, ids, setAway, log } = desk({ schedule: { ...NEVER, closeExpired: '0 2 * * *' } })
    setAway(true)
    await at('2026-11-21T02:00:00Z')
    expect(log.at('error')).toHaveLength(1)
    setAway(false)
    await at('2026-11-21T02:01:00Z')
    await at('2026-11-21T02:02:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0200Z'])
  })

  it('owes each poll once at the start, and nothing else', async () => {
    const schedule = {
      listings: '0 4 * * *',
      rfqs: '*/5 * * * *',
      closeExpired: '*/5 * * * *',
      channelReport: '0 6 * * *',
    }
    const { at, enqueued, setAway } = desk({ schedule })
    setAway(true)
    await at('2026-11-21T01:00:31Z')
    setAway(false)
    await at('2026-11-21T01:01:00Z')
    await at('2026-11-21T01:02:00Z')
    expect(enqueued).toEqual([
      { id: 'poll-listings_acme_forest_20261121T0100Z', payload: { channel: 'acme/forest', cause: 'start' } },
      { id: 'poll-rfqs_acme_forest_20261121T0100Z', payload: { channel: 'acme/forest', cause: 'start' } },
    ])
  })

  it('of two services started in one minute makes one job', async () => {
    const { schedule, make, ids } = desk({ schedule: { ...NEVER, rfqs: '*/5 * * * *' } })
    await Promise.all([schedule.tick(), make().tick()])
    expect(ids()).toHaveLength(1)
  })

  it('closes nothing where autoClose is off', async () => {
    const channels = [channel('acme/forest', { autoClose: 'off' }), channel('acme/peat', { autoClose: 'dry-run' })]
    const { at, ids } = desk({ channels, schedule: { ...NEVER, closeExpired: '* * * * *' } })
    await at('2026-11-21T01:01:00Z')
    expect(ids()).toEqual(['close-expired_acme_peat_20261121T0101Z'])
  })

  it('knows the zone of the schedule', async () => {
    const { at, ids } = desk({ schedule: { ...NEVER, channelReport: '0 6 * * *' }, scheduleTimeZone: 'Asia/Tokyo' })
    await at('2026-11-21T21:00:10Z')
    expect(ids()).toEqual(['channel-report_acme_forest_20261121T2100Z'])
  })

  it('makes a job of each tick of seconds', async () => {
    const { at, ids } = desk({ schedule: { ...NEVER, closeExpired: '*/10 * * * * *' } })
    await at('2026-11-21T01:00:40Z')
    await at('2026-11-21T01:00:50Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T010040Z', 'close-expired_acme_forest_20261121T010050Z'])
  })

  it('goes on when the clock is set back', async () => {
    const { at, ids } = desk({ schedule: { ...NEVER, closeExpired: '*/5 * * * *' } }, '2026-11-21T03:00:30Z')
    await at('2026-11-21T01:02:00Z')
    await at('2026-11-21T01:05:00Z')
    expect(ids()).toEqual(['close-expired_acme_forest_20261121T0105Z'])
  })
})

describe('node-cron', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('beats it every minute until it is stopped', async () => {
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

  it('beats it late rather than never when the process was held up', async () => {
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
