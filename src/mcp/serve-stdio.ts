import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpDeps } from './contract.js'
import { createMcpServer } from './mcp-server.js'

interface Streams {
  stdin: Readable
  stdout: Writable
}

/** Serves on standard input and output, until the input ends, the output is closed or the signal says stop. */
export async function serveMcp(deps: McpDeps, { stdin, stdout }: Streams, stop: AbortSignal): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([stop, ended.signal])
  for (const [stream, event] of [
    [stdin, 'end'],
    [stdin, 'close'],
    [stdout, 'close'],
    [stdout, 'error'],
  ] as const)
    stream.once(event, () => ended.abort())
  const transport = new StdioServerTransport(stdin, stdout)
  const handle = serveStdio(() => createMcpServer(deps), { transport, onerror: deps.onError })
  if (!signal.aborted) await once(signal, 'abort')
  await handle.close()
}
