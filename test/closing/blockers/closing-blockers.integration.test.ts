import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stopFileOf } from '../../../src/closing/kill-switch.js'
import { createReadiness } from '../../../src/readiness/readiness.js'
import { closingOutlook } from '../../../src/tables/closings/closing-outlook.js'
import { type ChannelFixture, KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { testConfig } from '../../helpers/test-config.js'
import { viewSourceOf } from '../../helpers/view-source.js'

const BEHIND = "the marketplace's clock is 3599 s behind ours (limit 60 s)"
const SCHEDULE = { listings: null, rfqs: '*/5 * * * *', closeExpired: '*/10 * * * *', channelReport: null }

/** What keeps the channel from closing, and what readiness says about it. */
async function shown({ store, now }: ChannelFixture, autoClose: 'on' | 'dry-run' = 'on') {
  const own = { schedule: SCHEDULE, ...locationsOf(store) }
  const config = testConfig(own)
  const source = viewSourceOf(store, [{ key: KEY, timeZone: 'UTC', graceHours: 0, autoClose }], own)
  const { stop, rfqs } = await closingOutlook(source, { channel: KEY }, now())
  // What keeps the channel is not said of its RFQs.
  for (const { why } of rfqs.values()) expect(why ?? '').not.toMatch(/clock|stop|list/)
  const runner = { load: async () => ({ waiting: 0, active: 0, oldestWaitingSeconds: 0 }) }
  const checks = await createReadiness({ config, store, runner, now })()
  return {
    stop: stop?.message ?? null,
    readiness: checks.find(({ name }) => name === `closing of ${KEY}`),
  }
}

const skewBy = (fixture: ChannelFixture, skewMs: number) => fixture.always({}, { kind: 'date', skewMs })

describe('while the clocks differ too much', () => {
  it('the outlook of the channel and readiness say so, round after round and over a restart, until a round in which they agree', async () => {
    const fixture = await openClosingFixture([{}, {}, {}])
    const skewed = skewBy(fixture, -3_600_000)
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(600)
      const { run, decisions } = await fixture.closeExpired()
      expect(run.outcome).toBe('partial')
      expect(decisions).toHaveLength(round === 0 ? 1 : 0)
      if (round === 3) await fixture.reopenStore()
      const { stop, readiness } = await shown(fixture)
      const at = run.finishedAt?.slice(0, 16).replace('T', ' ')
      expect(stop).toContain('Nothing is closed until the clocks agree')
      expect(stop).toContain(`${BEHIND}, at the closing round of ${at} UTC`)
      expect(readiness).toEqual({
        ...{ name: `closing of ${KEY}`, ok: true },
        message: expect.stringContaining(BEHIND),
      })
    }
    const [decision, ...others] = await fixture.store.decisions({ channel: KEY })
    expect(others).toEqual([])
    expect(decision).toMatchObject({ rfqId: rfqId(1), times: 6, reason: BEHIND })
    expect((await shown(fixture, 'dry-run')).stop).not.toContain('clocks')
    skewed.remove()
    fixture.answerCloses(rfqId(1), 400)
    expect((await fixture.closeExpired()).counts.closed).toBe(2)
    const after = await shown(fixture)
    expect(after.stop).toBeNull()
    expect(after.readiness?.message).toMatch(/needs attention: 1 close; see/)
  })

  it('a clock that jumps within a round stops it after the RFQs that it has closed, and says that they are closed', async () => {
    const fixture = await openClosingFixture([{}, {}, {}])
    fixture.always({ operation: 'readRfq', rfqId: rfqId(2) }, { kind: 'date', skewMs: -3_600_000 })
    const { counts, stopReason } = await fixture.closeExpired()
    expect({ closed: counts.closed, stopReason }).toEqual({
      closed: 1,
      stopReason: `No further RFQ was closed: ${BEHIND}.`,
    })
    expect((await shown(fixture)).stop).toContain(`until the clocks agree: ${BEHIND}`)
  })
})

it('while closing is stopped or the list is suspicious, the outlook of the channel and readiness say why', async () => {
  const later = Array.from({ length: 11 }, () => ({ responseDueDate: '2027-01-31' }))
  const fixture = await openClosingFixture([{}, ...later])
  const stopFile = stopFileOf(locationsOf(fixture.store))
  const expectBlocked = async (reason: string) => {
    const { stop, readiness } = await shown(fixture)
    expect(stop).toMatch(new RegExp(`^Closing is stopped, so nothing is closed: ${reason}\\.`))
    expect(readiness?.message).toMatch(new RegExp(`^stopped: ${reason}`))
  }
  writeFileSync(stopFile, '')
  await expectBlocked('stop file closing.stop exists; delete it to close again')
  rmSync(stopFile)
  expect((await shown(fixture)).stop).toBeNull()
  for (const id of fixture.ids.slice(1)) fixture.sandbox.world.removeRfq(id)
  const { run } = await fixture.pollRfqs()
  expect(run.suspicious).toBe(true)
  await expectBlocked(`the newest list \\(run ${run.id}\\) may not be whole`)
})
