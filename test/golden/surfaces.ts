import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { EventRecord } from '../../src/core/events/events.js'
import { chatMessage } from '../../src/notify/chat-message.js'
import { emailMessage } from '../../src/notify/email-message.js'
import { webhookBody } from '../../src/notify/webhook.js'
import { locationsOf } from '../helpers/store/store-engine.js'
import { openMcp } from '../mcp/mcp-fixture.js'
import { readableJson, toGolden, visibleText, workbookText } from './readable.js'
import type { Scenario } from './scenario.js'

/** What is printed of a scenario in detail. */
interface Focus {
  /** The channel of the RFQs. */
  channel: string
  /** Names of RFQs. The first is printed everywhere, the last where an RFQ takes hundreds of lines. */
  rfqs: [string, ...string[]]
  /** An offer for the first RFQ. */
  offer: string
  /** A moment between two polls. */
  before: string
  /** When the scenario began. */
  since: string
}

/**
 * Compares everything that is printed of a scenario with the files of a folder, of which none may be left over. `npm run golden` renews
 * them.
 * @param polls what the commands of the scenario printed
 */
export async function expectGolden(name: string, scenario: Scenario, polls: string, focus: Focus): Promise<void> {
  const folder = join(import.meta.dirname, name)
  const printed: string[] = []
  const compare = async (file: string, text: string) => {
    await expect.soft(toGolden(text), file).toMatchFileSnapshot(join(folder, file))
    printed.push(file)
  }
  await compare('cli/sync-and-close.txt', polls)
  for await (const [file, text] of surfacesOf(scenario, focus)) await compare(file, text)
  const stored = readdirSync(folder, { recursive: true }).filter((each) => String(each).includes('.'))
  expect(stored.sort()).toEqual(printed.sort())
}

/** Everything that is printed of a scenario, by file. */
async function* surfacesOf(scenario: Scenario, focus: Focus): AsyncGenerator<[string, string]> {
  yield* commandLine(scenario, focus)
  yield* jsonOutput(scenario, focus)
  yield* httpApi(scenario, focus)
  yield* pages(scenario, focus)
  yield* assistant(scenario, focus)
  yield* workbooks(scenario, focus)
  yield* notifications(await scenario.events())
  // Last, because it is shown everywhere from then on.
  yield* award(scenario, focus)
}

/** An award that is recorded, and where it is shown. */
async function* award(scenario: Scenario, { channel, rfqs, since }: Focus): AsyncGenerator<[string, string]> {
  const rfq = [rfqs[0], '--channel', channel]
  const decision = ['--by', 'analyst', '--because', 'delivers first', '--yes']
  const lines = [
    ['award', ...rfq, '--offers', 'none', ...decision],
    ['award', ...rfq, '--offers', '2', ...decision],
    ['award', ...rfq, '--offers', '3', ...decision],
    ['award', ...rfq],
    ['compare', ...rfq],
    ['today', '--since', since, '--limit', '3'],
  ]
  yield ['cli/award.txt', await session(scenario, lines)]
  yield ['pages/award.txt', visibleText(await scenario.get(`/rfqs/${channel}/${encodeURIComponent(rfqs[0])}/award`))]
  yield [
    'cli/award-withdrawn.txt',
    await session(scenario, [
      ['award', ...rfq, '--withdraw', '--because', 'another offer is needed', '--by', 'analyst', '--yes'],
      ['award', '--wide'],
    ]),
  ]
}

/** The output of several command lines, each below itself. */
async function session({ quotekeeper }: Scenario, lines: readonly string[][]): Promise<string> {
  const printed: string[] = []
  for (const args of lines) printed.push(`$ quotekeeper ${args.join(' ')}\n${await quotekeeper(...args)}`)
  return printed.join('\n')
}

async function* commandLine(scenario: Scenario, focus: Focus): AsyncGenerator<[string, string]> {
  const { rfqs, before, since, channel } = focus
  const of = ['--channel', channel]
  const rfq = [rfqs[0], ...of]
  const each = (...command: string[]) => rfqs.map((name) => [...command, name, ...of])
  const asOf = ['--as-of', before]
  const files: Record<string, string[][]> = {
    today: [['today', '--since', since]],
    rfqs: [['rfqs'], ['rfqs', '--state', 'open', '--csv']],
    compare: [
      ...each('compare'),
      ['compare', ...rfq, '--csv', '--wide'],
      ['compare', ...rfq, ...asOf],
      ['compare', ...rfq, '--questions'],
    ],
    listings: [['listings']],
    changes: [['changes', '--since', since], ...each('changes', '--rfq')],
    runs: [['runs', '--wide']],
    closings: [['closings'], ['closings', '--verify'], ...['1', '4'].map((id) => ['closings', '--explain', id])],
    problems: [['problems']],
    notify: [['notify']],
  }
  for (const [name, lines] of Object.entries(files)) yield [`cli/${name}.txt`, await session(scenario, lines)]
  yield ['cli/export.ndjson', await scenario.out('export', '--channel', scenario.channels.at(-1) ?? '')]
  yield ['cli/export-as-of.ndjson', await scenario.out('export', '--kind', 'rfq', ...asOf)]
}

async function* jsonOutput({ out }: Scenario, { channel, rfqs, since }: Focus): AsyncGenerator<[string, string]> {
  const rfq = [rfqs[0], '--channel', channel]
  const lines: Record<string, string[]> = {
    today: ['today', '--since', since],
    compare: ['compare', ...rfq],
    changes: ['changes', '--since', since, '--limit', '3'],
    closings: ['closings', '--limit', '3'],
    problems: ['problems', '--limit', '10'],
    runs: ['runs', '--limit', '3', '--channel', channel],
  }
  for (const [name, args] of Object.entries(lines))
    yield [`json/${name}.json`, `${readableJson(JSON.parse(await out(...args, '--json')))}\n`]
}

async function* httpApi({ get }: Scenario, { channel, rfqs, offer, before }: Focus): AsyncGenerator<[string, string]> {
  const rfq = `/rfqs/${channel}/${encodeURIComponent(rfqs[0])}`
  const paths: Record<string, string> = {
    rfqs: '/rfqs?limit=4',
    rfq,
    'rfq-as-of': `${rfq}?as_of=${before}`,
    offer: `${rfq}/offers/${encodeURIComponent(offer)}`,
  }
  for (const [name, path] of Object.entries(paths))
    yield [`api/${name}.json`, `${readableJson(JSON.parse(await get(`/api/v1${path}`)))}\n`]
}

async function* pages(
  { get }: Scenario,
  { channel, rfqs, offer, before, since }: Focus,
): AsyncGenerator<[string, string]> {
  const rfq = `/rfqs/${channel}/${encodeURIComponent(rfqs[0])}`
  const paths: Record<string, string> = {
    today: `/?since=${since}`,
    rfqs: '/rfqs',
    rfq: `${rfq}?offer=${encodeURIComponent(offer)}`,
    'rfq-as-of': `${rfq}?as_of=${before}`,
    closing: `${rfq}/closing`,
    changes: `/changes?since=${since}`,
    listings: '/listings',
    closings: '/closings',
    system: '/system',
  }
  for (const [name, path] of Object.entries(paths)) yield [`pages/${name}.txt`, visibleText(await get(path))]
}

async function* assistant(
  scenario: Scenario,
  { channel, rfqs, offer, before, since }: Focus,
): AsyncGenerator<[string, string]> {
  const { call } = await openMcp(scenario, { channels: scenario.channels })
  const ofRfq = { rfq: rfqs[0], channel }
  const questions: [tool: string, args: Record<string, unknown>][] = [
    ['list_rfqs', { limit: 5 }],
    ['get_rfq', ofRfq],
    ['get_rfq', { ...ofRfq, as_of: before }],
    ['get_offer', { ...ofRfq, offer }],
    ['compare_offers', ofRfq],
    ['today', { since, limit: 5 }],
  ]
  for (const [tool, args] of questions) {
    const name = 'as_of' in args ? `${tool}-as-of` : tool
    yield [`mcp/${name}.json`, `${readableJson(await call(tool, args))}\n`]
  }
}

async function* workbooks({ store, out }: Scenario, { channel, rfqs }: Focus): AsyncGenerator<[string, string]> {
  const reported = { rfq: [rfqs.at(-1) ?? '', '--channel', channel], channel: ['--channel', channel] }
  for (const [name, args] of Object.entries(reported)) {
    const file = join(dirname(locationsOf(store).file), `${name}.xlsx`)
    await out('report', ...args, '--out', file, '--by', 'analyst')
    yield [`workbooks/${name}.txt`, await workbookText(file)]
  }
}

/** The first event of each kind as it is sent, and one line of each. */
async function* notifications(events: readonly EventRecord[]): AsyncGenerator<[string, string]> {
  const first = events.filter(({ kind }, at) => events.findIndex((event) => event.kind === kind) === at)
  yield ['notifications/webhook.json', `${readableJson(webhookBody(first))}\n`]
  const chats = (['slack', 'teams'] as const).map((shape) => [shape, chatMessage(shape, first)])
  yield ['notifications/chat.json', `${readableJson(Object.fromEntries(chats))}\n`]
  const { subject, text } = emailMessage(events)
  const singles = first.map((event) => `${event.kind}: ${emailMessage([event]).subject}\n`)
  yield ['notifications/email.txt', `${subject}\n\n${text}\n\nSubjects of single messages\n\n${singles.join('')}`]
}
