import { describe, expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

/** C1 controls, bidirectional controls, invisible characters and escape codes, as a developer could write into a title. */
const HOSTILE = 'a\u009b2Jb\u202ec\u2066d\u200be\ufefff\u00adg\u2028h\u{e0041}i\u001b[2Jj'
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const CHANNELS = [{ org: 'acme', channel: 'blue', theme: 'blue' as const, listings: 1, rfqs: 1, responsesPerRfq: 1 }]

async function openHostileFixture() {
  const fixture = await createCliFixture({ channels: CHANNELS })
  const { sandbox } = fixture
  const ref = { org: 'acme', channel: 'blue' }
  const [record] = sandbox.world.channel(ref)?.rfqs ?? []
  const id = record?.terms.id ?? ''
  sandbox.world.changeRfq(id, { title: HOSTILE, reference: HOSTILE, [`field ${HOSTILE}`]: 1 } as never)
  sandbox.world.addRfq(ref, { id: HOSTILE, number: 77 } as never)
  await fixture.quotekeeper('sync')
  return fixture
}

describe('text of the marketplace that could control a terminal', () => {
  it('is escaped in JSON on a terminal, and means the same', async () => {
    const { quotekeeper, quotekeeperWith } = await openHostileFixture()
    const commands = [
      'rfqs --json',
      'changes --rfq 1001 --json',
      'problems --json',
      'report 1001 --json',
      'export --kind rfq',
    ]
    for (const command of commands) {
      const args = command.split(' ')
      const onTerminal = await quotekeeperWith({ width: 200 }, ...args)
      const inFile = await quotekeeper(...args)
      expect(inFile.out, command).toContain('\u202e')
      expect(onTerminal.out, command).not.toMatch(UNSAFE)
      const parse = (text: string) =>
        (command.startsWith('export') ? text.trim().split('\n') : [text]).map((part) => JSON.parse(part))
      expect(parse(onTerminal.out), command).toEqual(parse(inFile.out))
    }
  })

  it('is removed from tables and escaped in messages', async () => {
    const { quotekeeperWith } = await openHostileFixture()
    for (const command of [
      ['rfqs'],
      ['rfqs', '--csv'],
      ['today'],
      ['changes'],
      ['compare', '1001'],
      ['changes', '--rfq', '1001'],
      ['problems'],
      ['runs'],
      ['compare', 'nothing'],
      ['report', '99'],
      ['sync'],
    ]) {
      const { out, err } = await quotekeeperWith({ width: 200 }, ...command)
      // Carriage returns end the lines of --csv.
      expect((out + err).replaceAll('\r\n', ''), command.join(' ')).not.toMatch(UNSAFE)
    }
    for (const args of [
      ['rfqs', '--state', HOSTILE],
      ['rfqs', '--channel', HOSTILE],
      ['rfqs', '--columns', HOSTILE],
      ['changes', '--since', HOSTILE],
      ['compare', HOSTILE.slice(0, 3)],
      [HOSTILE],
      ['report', '1', '--as-of', HOSTILE],
    ]) {
      const { err } = await quotekeeperWith({}, ...args)
      expect(err).not.toBe('')
      expect(err, args.join(' ')).not.toMatch(UNSAFE)
    }
  })
})
