import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { createMcpDeps } from '../../src/cli/commands/operation/mcp.js'
import type { Settings } from '../../src/core/decision/settings.js'
import { createMcpServer } from '../../src/mcp/mcp-server.js'
import type { McpDeps } from '../../src/mcp/tools.js'
import { type ChannelFixture, KEY } from '../helpers/channel-fixture.js'
import { recordingLog } from '../helpers/recording-log.js'
import { locationsOf, openReaderOf } from '../helpers/store/store-engine.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { testIo } from '../helpers/test-io.js'

// biome-ignore lint/suspicious/noExplicitAny: the answers are checked member by member.
type Answer = any

/** An MCP client and server in this process, over the database of a fixture. */
export async function openMcp(
  { store, now }: Pick<ChannelFixture, 'store' | 'now'>,
  { channels = [KEY], settings = {}, ...overrides }: Partial<McpDeps> & { settings?: Partial<Settings> } = {},
) {
  const log = recordingLog()
  const reader = await openReaderOf(store)
  const { reports } = testConfig()
  const config = testConfig({
    ...locationsOf(store),
    reports: { ...reports, settings: { ...reports.settings, ...settings } },
    channels: channels.map((key) => channelConfig(key)),
    schedule: { ...testConfig().schedule, rfqs: '*/10 * * * *', listings: '0 * * * *' },
  })
  const deps = createMcpDeps(testIo({ now }), { config, log: log as never }, reader)
  const server = createMcpServer({ ...deps, ...overrides })
  const client = new Client({ name: 'test', version: '1' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  await client.connect(ours)
  onTestFinished(async () => {
    await client.close()
    await reader.close()
  })
  const callTool = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args })
    const [content] = result.content
    return { result, text: content?.type === 'text' ? content.text : '' }
  }
  /** Calls a tool and returns its answer. */
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
    const { result, text } = await callTool(name, args)
    if (result.isError) throw new Error(text)
    return JSON.parse(text)
  }
  return {
    client,
    call,
    log,
    /** Calls a tool that must fail, and returns what it says. */
    async fail(name: string, args: Record<string, unknown> = {}) {
      const { result, text } = await callTool(name, args)
      if (result.isError) return text
      throw new Error(`${name} did not fail: ${text}`)
    },
    /** The items of all pages. */
    async everyPage(name: string, args: Record<string, unknown>, pageOf: (answer: Answer) => Answer) {
      const items: Answer[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = pageOf(await call(name, cursor === undefined ? args : { ...args, cursor }))
        items.push(...page.items)
        cursor = page.nextCursor
      }
      return items
    },
  }
}
