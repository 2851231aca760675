import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RfqView } from '../../../src/tables/rfq/rfq-view.js'
import { offerTerms } from '../../helpers/store/awarded-rfq.js'
import { valuesOf } from '../../reports/support/workbooks.js'
import { type CliFixture, createCliFixture, NOW } from '../cli-fixture.js'

const CHANNEL = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const

/** An RFQ for 1,000 to 5,000 t with two offers, of which the first, at the lower price, is recommended. */
async function openRfq() {
  const cli = await createCliFixture({ channels: [CHANNEL], autoClose: 'off' })
  const { world } = cli.sandbox
  const rfq = world.addRfq(CHANNEL, {
    ...{ number: 1042, responseDueDate: '2026-06-30', fulfilmentDueDate: '2028-12-31' },
    ...{ minVolume: 1_000, maxVolume: 5_000, minVintageYear: 2021, maxVintageYear: 2028 },
    pricing: { minUnitPrice: 1, maxUnitPrice: 20, currency: 'USD' },
  })
  const [cheap = ''] = [9, 25].map((price) => world.addResponse(rfq.id, { offer: offerTerms(price) }).id)
  expect((await cli.quotekeeper('sync')).status).toBe(0)
  return { cli, cheap }
}

/** The awards on record, as the list has them. */
const list = async ({ quotekeeper }: CliFixture) =>
  JSON.parse((await quotekeeper('award', '--json')).out) as Record<string, unknown>[]

describe('quotekeeper award', () => {
  it('records the recommended award after asking, and keeps its workbook', async () => {
    const { cli, cheap } = await openRfq()
    const { offers } = JSON.parse((await cli.quotekeeper('compare', '1042', '--json')).out)
    const { number } = offers.find(({ id }: { id: string }) => id === cheap)
    const answer = (text: string) => ({ prompt: { ask: async () => text } })
    const args = ['award', '1042', '--offers', `${number}`, '--by', 'Ana']
    expect(await cli.quotekeeperWith(answer('no'), ...args)).toMatchObject({ status: 1 })
    for (const wrong of [['7', ...args.slice(2), '--yes'], [...args.slice(2), '--yes'], args.slice(1)])
      expect((await cli.quotekeeper('award', ...wrong)).status).toBe(2) // The last: no terminal to ask on.
    expect(await list(cli)).toEqual([])
    expect(await cli.quotekeeperWith(answer('yes'), ...args)).toMatchObject({ status: 0 })
    const { award } = JSON.parse((await cli.quotekeeper('compare', '1042', '--json')).out) as RfqView
    expect(award?.award).toMatchObject({
      ...{ id: 1, by: 'Ana', at: NOW.toISOString(), followed: true, because: null, tonnes: 2_000 },
      ...{ total: 18_000, pricePerTonne: 9, currency: 'USD', warnings: [] },
      offers: [{ id: cheap, tonnes: 2_000, total: 18_000, status: 'submitted', version: 1 }],
    })
    expect((await cli.quotekeeper('award', '1042', '--workbook', 'kept.xlsx')).status).toBe(0)
    const cells = (await valuesOf(readFileSync(join(cli.folder, 'kept.xlsx')), 'Summary')).slice(5, 10).flat()
    expect(cells.filter((cell) => typeof cell === 'string').join('\n')).toMatch(
      /^Award on record\n[\s\S]*18,000 USD in total[\s\S]*\nDecided\nAna, 2026-03-10 09:30 UTC[\s\S]*\nNext\nAccept/,
    )
    expect((await cli.quotekeeper('award', '1042', '--workbook', 'kept.xlsx')).status).toBe(1)
  })

  it('is withdrawn, and may then be none, with a reason', async () => {
    const { cli, cheap } = await openRfq()
    await cli.quotekeeper('award', '1042', '--yes', '--offers', cheap)
    const decision = ['--because', 'a mistake', '--yes', '--by', 'Ben']
    expect((await cli.quotekeeper('award', '1042', '--withdraw', ...decision)).status).toBe(0)
    expect((await cli.quotekeeper('award', '1042', '--withdraw', '--yes')).status).toBe(1)
    const none = (...args: string[]) => cli.quotekeeper('award', '1042', '--none', '--yes', ...args)
    expect((await none()).err).toMatch(/Say why nothing is awarded/)
    expect((await none('--offers', cheap)).status).toBe(2)
    const recorded = await none('--because', 'the budget was cut')
    expect(recorded).toMatchObject({
      status: 0,
      out: expect.stringMatching(/Awarded: No award\.\n[\s\S]*Nothing more to do/),
    })
    expect(await list(cli)).toMatchObject([
      { id: 3, offers: [], because: 'the budget was cut', state: 'no-award' },
      { id: 1, state: 'withdrawn', withdrawnBy: 'Ben', withdrawnBecause: 'a mistake' },
    ])
  })
})
