import { describe, expect, it } from 'vitest'
import { longIt } from '../../helpers/long-tests.js'
import { createCliFixture, NOW } from '../cli-fixture.js'

/** One RFQ, due soon, with two offers; its entry in the list can be made to contradict it. */
async function openContradicted() {
  const channel = { org: 'acme', channel: 'forest', listings: 2, rfqs: 0 } as const
  const cli = await createCliFixture({ channels: [channel], autoClose: 'off' })
  const { world, faults } = cli.sandbox
  const { id, number } = world.addRfq(channel, { responseDueDate: '2026-03-12', minVolume: 100, maxVolume: 1_000_000 })
  for (let offers = 0; offers < 2; offers++) world.addResponse(id)
  let minutes = 0
  const run = (...args: string[]) =>
    cli.quotekeeperWith({ now: () => new Date(NOW.getTime() + minutes * 60_000) }, ...args)
  expect((await run('sync')).status).toBe(0)
  return {
    ...{ cli, id, number: String(number), run },
    listSays: (patch: object) => {
      faults.clear()
      faults.add({
        ...{ operation: 'listRfqs', times: Number.POSITIVE_INFINITY },
        effect: { kind: 'patch', id, patch },
      })
    },
    clear: () => faults.clear(),
    poll: async () => {
      minutes += 10
      expect((await run('sync', '--only', 'rfqs')).status).toBe(0)
      return new Date(NOW.getTime() + minutes * 60_000).toISOString()
    },
    wait: () => {
      minutes++
    },
    text: async (...args: string[]) => (await run(...args)).out.replaceAll(/\s+/g, ' '),
    json: async (...args: string[]) => JSON.parse((await run(...args, '--json')).out),
  }
}

const NOTHING = /list of|List says|does not match|contradict/

describe('a list that contradicts the RFQ that the same poll reads', () => {
  it('is named by rfqs, compare, today and report, as text and as JSON, in each poll until it agrees', async () => {
    const { id, number, listSays, clear, poll, text, json } = await openContradicted()
    const commands = [['compare', number], ['today'], ['report', number, '--json']]
    for (const args of [['rfqs'], ...commands.slice(0, 2)]) expect(await text(...args)).not.toMatch(NOTHING)
    const expectSaid = async (sentence: string, brief: string) => {
      expect(await text('rfqs')).toMatch(new RegExp(`List says: ${brief}`))
      for (const args of commands) {
        const said = await text(...args)
        expect(said).toContain(sentence)
        expect(said).not.toContain('does not match the documented format')
      }
      expect((await json('rfqs'))[0]).toMatchObject({ id, state: 'open', listed: { message: sentence } })
      expect(await json('compare', number)).toMatchObject({ listed: { message: sentence } })
    }
    listSays({ state: 'closed' })
    await poll()
    await expectSaid(
      'The list of 2026-03-10 09:40 UTC says closed; the RFQ itself, read at 09:40, says open.',
      'closed',
    )
    const { rfq } = await json('report', number)
    expect(rfq.flags).toMatchObject([{ code: 'rfq-list-differs', severity: 'high' }])
    await poll()
    await expectSaid(
      'The list of 2026-03-10 09:40 UTC says closed; the RFQ itself, read at 09:50, says open.',
      'closed',
    )
    listSays({ responseDueDate: '2026-04-01' })
    await poll()
    const due =
      'The list of 2026-03-10 10:00 UTC says due 2026-04-01; the RFQ itself, read at 10:00, says due 2026-03-12.'
    await expectSaid(due, 'due 2026-04-01')
    clear()
    await poll()
    for (const args of [['rfqs'], ...commands.slice(0, 2)]) expect(await text(...args)).not.toMatch(NOTHING)
    expect((await json('report', number)).rfq.flags).toEqual([])
    expect((await json('report', number)).context.listed).toBeNull()
  })

  longIt('is said of the moments at which it did, and nothing of them ever changes, over twelve polls', async () => {
    const { number, listSays, clear, poll, wait, run } = await openContradicted()
    const commands = [
      ['compare', number],
      ['report', number, '--json'],
      ['report', '--channel', 'acme/forest', '--json'],
    ]
    const saidAt = async (moment: string) => {
      const said = await Promise.all(commands.map((args) => run(...args, '--as-of', moment)))
      return said.map(({ out }) => out.replaceAll(/"generatedAt": *"[^"]*"/g, '').replaceAll(/\s+/g, ' '))
    }
    const closed = { patch: { state: 'closed' }, list: 'closed', own: 'open' }
    const later = { patch: { responseDueDate: '2026-04-01' }, list: 'due 2026-04-01', own: 'due 2026-03-12' }
    const both = {
      ...{ patch: { ...closed.patch, ...later.patch } },
      ...{ list: 'closed, due 2026-04-01', own: 'open, due 2026-03-12' },
    }
    const polls = [null, closed, closed, both, null, later]
    const before: { moment: string; said: string[] }[] = []
    let since = ''
    for (const [index, says] of [...polls, ...polls].entries()) {
      if (says === null) clear()
      else listSays(says.patch)
      const moment = await poll()
      if (says !== polls[(index + 5) % 6]) since = moment.slice(11, 16)
      wait()
      const said = await saidAt(moment)
      for (const text of said) expect(text).not.toContain('does not match the documented format')
      if (says === null) for (const text of said) expect(text).not.toMatch(/list of 20|List says|contradict each/)
      else {
        const sentence = `The list of 2026-03-10 ${since} UTC says ${says.list}; the RFQ itself, read at ${since}, says ${says.own}.`
        for (const text of said) expect(text).toContain(sentence)
      }
      const last = before.at(-1)
      if (last !== undefined) expect(await saidAt(last.moment)).toEqual(last.said)
      before.push({ moment, said })
    }
    for (const { moment, said } of before) expect(await saidAt(moment)).toEqual(said)
  })
})
