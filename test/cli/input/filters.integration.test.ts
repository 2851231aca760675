import { describe, expect, it } from 'vitest'
import { createCliFixture, NOW } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 1, rfqs: 2, responsesPerRfq: 1 }]
const DAY_MS = 86_400_000

/** Polled at NOW: the listings. A day later: the RFQs. */
async function openPolledFixture() {
  const fixture = await createCliFixture({ channels: CHANNELS })
  expect(await fixture.quotekeeper('sync', '--only', 'listings')).toMatchObject({ status: 0 })
  fixture.sandbox.setClock(new Date(NOW.getTime() + DAY_MS))
  expect(await fixture.quotekeeper('sync', '--only', 'rfqs')).toMatchObject({ status: 0 })
  return fixture
}

describe('a filter that nothing has', () => {
  it('is an error with the closest values', async () => {
    const { quotekeeper } = await openPolledFixture()
    for (const [commandLine, message] of [
      ['rfqs --state opne', 'state "opne" is not known. Did you mean open? Allowed: open, closed'],
      ['rfqs --channel acme/bleu --json', 'Did you mean acme/blue?'],
      ['export --channel acme/bleu', 'Did you mean acme/blue?'],
      ['report --channel acme/bleu', 'Did you mean acme/blue?'],
      ['export --kind rfqs', 'Allowed choices are listing, rfq-entry, rfq, response'],
      ['closings --rfq 1011', 'no RFQ matches "1011"; closest matches:\n  acme/blue, number 1001, id:'],
      ['compare 1011', 'no RFQ matches "1011"; closest matches:\n  acme/blue, number 1001, id:'],
      ['close-expired --retry 1011', 'no RFQ matches "1011"; closest matches:\n  acme/blue, number 1001, id:'],
    ] as const) {
      const said = await quotekeeper(...commandLine.split(' '))
      expect([commandLine, said]).toEqual([commandLine, { status: 2, out: '', err: expect.stringContaining(message) }])
    }
  })

  it('says with status 1 that a channel was never read, and what to run', async () => {
    const forest = 'acme/forest'
    const { quotekeeper } = await createCliFixture({
      channels: [...CHANNELS, { org: 'acme', channel: 'forest', theme: 'forest' as const, listings: 1, rfqs: 1 }],
    })
    await quotekeeper('sync', '--channel', 'blue')
    expect(await quotekeeper('report', '--channel', 'forest')).toMatchObject({
      ...{ status: 1, out: '' },
      err: expect.stringContaining(`nothing is stored of ${forest} yet; run \`quotekeeper sync --channel ${forest}\``),
    })
  })
})

describe('--as-of before the first poll', () => {
  const listings = NOW.toISOString()
  const rfqs = new Date(NOW.getTime() + DAY_MS).toISOString()

  it('is an error that says when that poll was', async () => {
    const { quotekeeper } = await openPolledFixture()
    for (const [commandLine, asOf, message] of [
      ['compare 1001', '2026-03-10', rfqs],
      ['report 1001', '2026-03-10', rfqs],
      ['export', '2026-03-09', `the first poll was at ${listings}`],
      ['export --kind response', '2026-03-10', rfqs],
      ['export --kind listing', '2026-03-09', listings],
    ] as const) {
      const said = await quotekeeper(...commandLine.split(' '), '--as-of', asOf)
      expect([commandLine, said]).toEqual([commandLine, { status: 2, out: '', err: expect.stringContaining(message) }])
    }
    expect((await quotekeeper('export', '--as-of', listings)).out.split('\n')).toHaveLength(2)
  })

  it('does not count a poll that failed, unless all failed', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ channels: CHANNELS })
    sandbox.faults.add({ operation: 'listRfqs', times: 1, effect: { kind: 'status', status: 500 } })
    expect(await quotekeeper('sync', '--only', 'rfqs')).toMatchObject({ status: 1 })
    const onlyFailed = await quotekeeper('export', '--as-of', '2026-03-09')
    expect(onlyFailed).toMatchObject({ status: 2, out: '' })
    expect(onlyFailed.err).toContain(`the first poll was at ${listings}`)
    sandbox.setClock(new Date(rfqs))
    expect(await quotekeeper('sync', '--only', 'rfqs')).toMatchObject({ status: 0 })
    const { status, err } = await quotekeeper('compare', '1001', '--as-of', '2026-03-10')
    expect(status).toBe(2)
    expect(err).toContain(`the first poll of RFQs was at ${rfqs}`)
  })
})
