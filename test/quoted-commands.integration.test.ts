import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewCloses } from '../src/closing/due-rfqs.js'
import { retryCommand } from '../src/core/close-intent.js'
import { quoteForShell } from '../src/core/text/quote-for-shell.js'
import { rfqs as rfqsList } from '../src/tables/lists/rfqs.js'
import { jsonRow } from '../src/tables/print/json.js'
import { today } from '../src/tables/today/today.js'
import { createCliFixture } from './cli/cli-fixture.js'
import { openChannelFixture } from './helpers/channel-fixture.js'
import { DUE, POLICY } from './helpers/closing-round-fixture.js'
import { rowsOf } from './helpers/store/store-engine.js'
import { testConfig } from './helpers/test-config.js'
import { viewSourceOf } from './helpers/view-source.js'

/** As the configuration allows it. */
const SLUG = `it's $(id) \`id\` "&;|<>*~#!{a,b}\\`
const CHANNEL = { org: '-acme', channel: SLUG }
const KEY = `-acme/${SLUG}`
const IDS = ["x'; $(id)", '--help', 'a\nb', 'id:7', '7']

const NOTHING = { theme: 'blue' as const, listings: 0, rfqs: 0, responsesPerRfq: 0 }

/** Text of which a shell would make something else. */
const hostile = fc
  .array(fc.constantFrom(...`'"\\$()\`&|;<>*?~#!{}[]=%^,: \n\t-/.aZ0ä`), { minLength: 1, maxLength: 12 })
  .map((characters) => characters.join(''))

/** The commands that a text shows, each up to what follows it in a sentence. */
const commandsIn = (text: string) =>
  text
    .split(/(?=quotekeeper )/)
    .filter((part) => part.startsWith('quotekeeper '))
    .map((part) => part.replace(/(; (then|the next|after)\b[^']*|\. ?)$/s, ''))

/** The words after `quotekeeper` that a shell makes of command lines. */
function shellWords(commands: readonly string[]): string[][] {
  const script = `quotekeeper() { printf '%s\\0' "$#" "$@"; }\n${commands.join('\n')}`
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: {} }).split('\0')
  const words = commands.map(() => printed.splice(0, 1 + Number(printed[0])).slice(1))
  expect(printed).toEqual([''])
  return words
}

describe('commands that are shown', () => {
  it('have the words that were meant, whatever identifiers and channels there are', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { minLength: 40, maxLength: 40 }), (all) => {
        const shown = all.flatMap(([channel, id]) => [`quotekeeper ${quoteForShell(id)}`, retryCommand(channel, id)])
        expect(shellWords(shown)).toEqual(
          all.flatMap(([channel, id]) => [[id], ['close-expired', '--channel', channel, '--retry', `id:${id}`]]),
        )
      }),
      { numRuns: 10 },
    )
  })

  it('name the channel and the RFQ that they are about: of closing rounds, previews, events, today', async () => {
    const fixture = await openChannelFixture({ others: [{ ...CHANNEL, ...NOTHING }] })
    const { store, sandbox, now } = fixture
    const channel = { ...CHANNEL, apiKey: sandbox.keys[CHANNEL.org] ?? '' }
    for (const id of IDS) sandbox.world.addRfq(CHANNEL, { id, number: 5, responseDueDate: DUE } as never)
    await fixture.pollRfqs({ channel })
    const session = fixture.session(undefined, channel)
    const held = await fixture.closeExpired({ maxPerRun: 1 }, { session })
    const rules = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const }
    const preview = await previewCloses(store, { channel: KEY }, { ...POLICY, maxPerRun: 1 }, now())
    const events = (await rowsOf(store, 'select data from events')) as { data: string }[]
    const remedies = events.map(({ data }) => String(JSON.parse(data).remedy ?? ''))
    const waiting = await today(viewSourceOf(store, [rules], { closing: { ...testConfig().closing, maxPerRun: 1 } }), {
      now: now(),
    })
    const approve = ['close-expired', '--channel', KEY, '--approve', held.approvalPlan]
    const dryRun = ['close-expired', '--channel', KEY, '--dry-run']
    const textOf = (texts: readonly (string | undefined | null)[]) =>
      shellWords(texts.flatMap((text) => commandsIn(text ?? '')))
    expect(textOf([held.stopReason])).toEqual([approve])
    expect(textOf([preview.approval?.command])).toEqual([approve])
    expect(textOf(remedies)).toEqual([dryRun, approve])
    expect(textOf(waiting.closings.map(({ command }) => command))).toContainEqual(approve)

    const { rfqs } = await today(viewSourceOf(store, [{ ...rules, autoClose: 'off' }]), { now: now(), limit: 100 })
    const shown = textOf(rfqs.map((row) => String(jsonRow(rfqsList.columns, row).command)))
    expect(shown).toEqual(IDS.map(() => ['closings', '--rfq', expect.any(String), '--channel', KEY]))
    // The sandbox refuses to close what has no UUID.
    await fixture.closeExpired({}, { session })
    const unsettled = await store.unsettledCloses({ channel: KEY, now: now() })
    expect(textOf(unsettled.map(({ remedy }) => remedy))).toEqual(
      unsettled.map(({ rfqId }) => ['close-expired', '--channel', KEY, '--retry', `id:${rfqId}`]),
    )
    expect(unsettled.length).toBe(IDS.length)
  })

  it('name channels of which nothing is stored', async () => {
    const slug = `it's $(id) & co`
    const channels = ['blue', slug].map((channel) => ({ ...NOTHING, org: 'acme', channel }))
    const { quotekeeper } = await createCliFixture({ channels })
    await quotekeeper('sync', '--channel', 'acme/blue')
    const { err } = await quotekeeper('report', '--channel', `acme/${slug}`)
    const [command = ''] = /(?<=run `)quotekeeper sync.*(?=` to poll)/s.exec(err) ?? []
    expect(shellWords([command])).toEqual([['sync', '--channel', `acme/${slug}`]])
  })
})
