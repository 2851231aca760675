import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RfqView } from '../../../src/tables/rfq/rfq-view.js'
import { httpReceiver } from '../../helpers/servers/http-receiver.js'
import { createCliFixture, NOW } from '../cli-fixture.js'

const HOUR = 3_600_000
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR)
const CHANNELS = [{ org: 'acme', channel: 'forest', listings: 2, rfqs: 0 }]

/** NOW is 2026-03-10, a Tuesday. */
const rates = (...lines: string[]) => ['Date,USD,GBP,', ...lines.map((line) => `${line},`), ''].join('\n')

/** An RFQ in USD with an offer in EUR and one in CHF, which the rates do not have. */
async function withRates({ source = 'rates.csv' } = {}) {
  const more = `reports: { currency: USD, exchangeRates: "${source}" }\n`
  const fixture = await createCliFixture({ channels: CHANNELS, more, autoClose: 'off' })
  const { world } = fixture.sandbox
  const pricing = { minUnitPrice: 0.01, maxUnitPrice: 1e6, currency: 'USD' }
  const rfq = world.addRfq({ org: 'acme', channel: 'forest' }, { number: 77, pricing })
  for (const currency of ['EUR', 'CHF']) world.addResponse(rfq.id, { status: 'submitted', offer: { currency } })
  const write = (...lines: string[]) => writeFileSync(join(fixture.folder, 'rates.csv'), rates(...lines))
  const runAt = (hours: number, ...args: string[]) => fixture.quotekeeperWith({ now: () => at(hours) }, ...args)
  const compare = async (hours: number, ...args: string[]) =>
    JSON.parse((await runAt(hours, 'compare', '77', '--json', ...args)).out) as RfqView
  return { ...fixture, write, runAt, compare }
}

const euroOf = ({ currency }: RfqView) => currency.rates.find((rate) => rate.currency === 'EUR')

describe('sync', () => {
  it('reads an address once a day, and again if that failed', async () => {
    let status = 200
    const { url, requests } = await httpReceiver(() => ({ status, body: rates('2026-03-09,1.25,0.85') }))
    const source = url.replace('/in', '/hist.csv')
    const { runAt, compare } = await withRates({ source })
    for (const hours of [0, 1, 5]) await runAt(hours, 'sync')
    expect(requests).toHaveLength(1)
    await runAt(2, 'sync', '--only', 'listings')
    status = 503
    expect(await runAt(24, 'sync')).toMatchObject({
      ...{ status: 1, err: expect.stringMatching(/exchange rates were not read: .*HTTP 503/) },
    })
    expect(requests).toHaveLength(2)
    expect(euroOf(await compare(24))?.rate).toBe(1.25)
    status = 200
    await runAt(25, 'sync')
    await runAt(26, 'sync')
    expect(requests).toHaveLength(3)
  })
})

it('the first sync › reads rates before it polls, so that no recommendation changes because of them', async () => {
  const { write, runAt, compare, quotekeeperWith } = await withRates()
  write('2026-03-09,1.25,0.85')
  let seconds = 0
  const now = () => new Date(NOW.getTime() + 1000 * seconds++)
  expect(await quotekeeperWith({ now }, 'sync')).toMatchObject({ status: 0, err: '' })
  const { out } = await runAt(1, 'changes', '--json')
  const changes = JSON.parse(out) as { kind: string }[]
  expect(euroOf(await compare(1))?.rate).toBe(1.25)
  expect(changes.filter(({ kind }) => kind === 'recommendation')).toEqual([])
})

it('check reads the source of rates, and says how old its newest rate is', async () => {
  const { folder, write, runAt } = await withRates()
  const findingAt = async (hours: number) => {
    const findings = JSON.parse((await runAt(hours, 'check', '--json')).out) as { what: string }[]
    return findings.find(({ what }) => what === 'exchange rates')
  }
  write('2026-03-09,1.25,0.85')
  expect(await findingAt(0)).toMatchObject({ ok: true, found: 'rates.csv: newest rate of 2026-03-09, 1 day old' })
  expect(await findingAt(11 * 24)).toMatchObject({
    ...{ ok: true, remedy: expect.stringContaining('newer rates'), found: expect.stringContaining('12 days old') },
  })
  rmSync(join(folder, 'rates.csv'))
  expect(await findingAt(0)).toMatchObject({ ok: false, found: expect.stringContaining('no such file') })
})
