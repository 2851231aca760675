import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { createPolledFixture } from '../cli/cli-fixture.js'

const PROGRAM = resolve(import.meta.dirname, '../../dist/src/cli/main.js')

it('the compiled program answers a real client over stdio, and ends when the client does', async () => {
  const { folder } = await createPolledFixture()
  const errors: Error[] = []
  const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: folder })
  const client = new Client({ name: 'test', version: '1' })
  client.onerror = (error) => void errors.push(error)
  await client.connect(transport)
  const pid = transport.pid ?? 0
  expect(client.getServerVersion()).toMatchObject({ name: 'quotekeeper' })
  const result = await client.callTool({ name: 'list_rfqs', arguments: { channel: 'acme/forest' } })
  expect(result.content).toMatchObject([{ text: expect.stringContaining('"total":6') }])
  await client.close()
  expect(errors).toEqual([])
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

it('mcp writes nothing but the protocol to stdout, and stops when stdin ends or a signal says so', async () => {
  const { quotekeeperWith } = await createPolledFixture()
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  for (const end of ['stdin', 'signal']) {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
    const stop = new AbortController()
    const running = quotekeeperWith({ streams, stop: stop.signal }, 'mcp')
    streams.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`)
    streams.stdin.write('not JSON\n')
    const [line] = await new Promise<Buffer[]>((done) => streams.stdout.once('data', (data) => done([data])))
    expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { serverInfo: { name: 'quotekeeper' } } })
    if (end === 'stdin') streams.stdin.end()
    else stop.abort(new Error('stopped'))
    const { status, out, err } = await running
    expect({ end, status, out, err }).toEqual({ end, status: 0, out: '', err: '' })
    // Reading on would keep the process alive.
    expect(streams.stdin.readableFlowing).toBe(false)
  }
})

it('mcp answers what was asked before stdin ended', async () => {
  const { quotekeeperWith } = await createPolledFixture()
  const streams = { stdin: new PassThrough(), stdout: new PassThrough() }
  const running = quotekeeperWith({ streams }, 'mcp')
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const requests = [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'list_rfqs', arguments: { channel: 'acme/forest' } } },
    { id: 3, method: 'tools/call', params: { name: 'today', arguments: {} } },
  ]
  streams.stdin.end(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''))
  expect(await running).toMatchObject({ status: 0, out: '', err: '' })
  const answers = String(streams.stdout.read()).trim().split('\n')
  const ids = answers.map((line) => JSON.parse(line)).map(({ id, result }) => [id, result?.isError ?? false])
  expect(ids.sort()).toEqual([1, 2, 3].map((id) => [id, false]))
})
