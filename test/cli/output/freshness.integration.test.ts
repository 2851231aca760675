import { expect, it } from 'vitest'
import { describeFreshness, describePast } from '../../../src/cli/output/freshness.js'
import type { Io } from '../../../src/cli/process/process-io.js'
import { type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'

const shown = ({ store, now }: ChannelFixture, of: Parameters<typeof describeFreshness>[2]) =>
  describeFreshness({ io: { now } as Io }, store, of)

it('a moment at which no poll was complete yet says so, like the present, over polls that fail', async () => {
  const fixture = await openChannelFixture({ retries: 0, rfqs: 8 })
  const past = (asOf: Date) => describePast(fixture.store, KEY, asOf)
  const moments: Date[] = []
  for (let poll = 0; poll < 3; poll++) {
    fixture.sandbox.faults.add({ operation: 'readRfq', times: 5, effect: { kind: 'status', status: 500 } })
    expect((await fixture.pollRfqs({ recheckClosedHours: 0 })).run.outcome).toBe('partial')
    fixture.advanceSeconds(300)
    moments.push(fixture.now())
    expect(await shown(fixture, { channels: [KEY], kind: 'rfqs' })).toBe('no complete poll yet')
    for (const at of moments) expect(await past(at)).toMatch(/^as of .* of now; no complete poll yet$/)
  }
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  expect(await past(fixture.now())).toBe('as of 2026-11-21 12:15 UTC, with the settings of now')
  fixture.advanceSeconds(300)
  for (const at of moments.slice(0, -1)) expect(await past(at)).toContain('; no complete poll yet')
})

it('decisions name the newest closing round of each channel and what became of it, and channels with the same end together', async () => {
  const fixture = await openChannelFixture()
  const keys = ['acme/a', 'acme/b', 'acme/c', 'acme/d', 'acme/e']
  const ends = (channels: readonly string[]) => shown(fixture, { channels, kind: 'close' })
  const end = async (channel: string, outcome: 'complete' | 'partial' | 'failed', error: string | null = null) => {
    const run = await holdingRun(fixture.store, { channel, kind: 'close', now: fixture.now() })
    await run.finish(runEnd({ outcome, error }), fixture.now())
    fixture.advanceSeconds(60)
  }
  expect(await ends(['acme/a'])).toBe('no closing round yet')
  await end('acme/a', 'complete')
  expect(await ends(['acme/a'])).toBe('last closing round 12:00 UTC, 60 s ago')
  await end('acme/a', 'partial', 'the clocks\ndiffer \u001b[31m.')
  expect(await ends(['acme/a'])).toMatch(
    /^last closing round 12:01 UTC, 60 s ago; partial: the clocks differ \P{Cc}*$/u,
  )
  // One that has begun says nothing yet.
  const running = await holdingRun(fixture.store, { channel: 'acme/a', kind: 'close', now: fixture.now() })
  expect(await ends(['acme/a'])).toContain('12:01')
  await running.finish(runEnd({ outcome: 'partial', error: 'late' }), fixture.now())
  await end('acme/b', 'partial', 'late')
  await end('acme/c', 'complete')
  expect(await ends(['acme/a', 'acme/b', 'acme/c', 'acme/d'])).toMatch(
    /12:02 UTC, 2 min ago \(acme\/a; .*no closing round yet of acme\/d; partial on acme\/a, acme\/b: late$/,
  )
  for (const key of keys) await end(key, 'failed', `down: ${key}`)
  expect(await ends(keys)).toMatch(/; failed on acme\/a: down: acme\/a; .+b; .+c; .+d; .+e$/)
})
