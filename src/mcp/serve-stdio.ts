import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from './mcp-server.js'
import type { McpDeps } from './tools.js'

interface Streams {
  stdin: Readable
  stdout: Writable
}

/** How long requests that were received are answered after the input ended, in milliseconds. */
const MAX_DRAIN_MS = 10_000

/**
 * Serves on standard input and output, until the input ends, the output is closed or the signal says stop. What was asked before
 * the input ended is answered.
 */
export async function serveMcp(deps: McpDeps, { stdin, stdout }: Streams, stop: AbortSignal): Promise<void> {
  const inputEnded = abortOn(stdin, ['end', 'close'])
  const outputClosed = abortOn(stdout, ['close', 'error'])
  // The transport drops the requests in flight when its input ends, so this one never does.
  const input = stdin.pipe(new PassThrough(), { end: false })
  const transport = new StdioServerTransport(input, stdout)
  // A call that is still running when the server closes has lost its database; nobody reads the answer.
  let isClosing = false
  const onError = (error: unknown) => {
    if (!isClosing) deps.onError(error)
  }
  const handle = serveStdio(() => createMcpServer({ ...deps, onError }), { transport, onerror: onError })
  const unanswered = trackRequests(transport)
  const closed = AbortSignal.any([stop, outputClosed])
  const ended = AbortSignal.any([closed, inputEnded])
  if (!ended.aborted) await once(ended, 'abort')
  const giveUp = AbortSignal.any([closed, AbortSignal.timeout(MAX_DRAIN_MS)])
  while (!giveUp.aborted && (input.readableLength > 0 || unanswered.size > 0)) await delay(5)
  isClosing = true
  // Standard input that is still read would keep the process alive after a signal.
  stdin.unpipe(input)
  stdin.pause()
  await handle.close()
}

/** A signal that is aborted by the first of some events. */
function abortOn(stream: Readable | Writable, events: readonly string[]): AbortSignal {
  const controller = new AbortController()
  for (const event of events) stream.once(event, () => controller.abort())
  return controller.signal
}

/** The ids of the requests that were received and are neither answered nor cancelled. */
function trackRequests(transport: StdioServerTransport): ReadonlySet<unknown> {
  const unanswered = new Set<unknown>()
  const receive = transport.onmessage
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) unanswered.add(message.id)
    else if ('method' in message && message.method === 'notifications/cancelled')
      unanswered.delete(message.params?.requestId)
    receive?.(message)
  }
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    await send(message)
    if (!('method' in message)) unanswered.delete(message.id)
  }
  return unanswered
}
