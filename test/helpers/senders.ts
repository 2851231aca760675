import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { eventually } from './eventually.js'

const SENDER = join(import.meta.dirname, '../fixtures/send-requests.mjs')
interface Arrival {
  /** Milliseconds on a monotonic clock. */
  at: number
  /** Which process sent it. */
  sender: string
}

/** A server that records when requests arrive and how many are in flight. */
export async function openServer(reply: (response: ServerResponse, number: number) => void = answer) {
  const arrivals: Arrival[] = []
  const counts = { inFlight: 0, maxInFlight: 0 }
  const server = createServer((request: IncomingMessage, response) => {
    arrivals.push({ at: performance.now(), sender: request.url?.split('/')[1] ?? '' })
    counts.maxInFlight = Math.max(counts.maxInFlight, ++counts.inFlight)
    response.once('close', () => counts.inFlight--)
    request.resume()
    reply(response, arrivals.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(counts, { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

export function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true,"items":[]}')
}

interface Sender {
  lines: { ok?: true; name?: string; message?: string }[]
  kill(): void
  ended: Promise<unknown>
}

/** Starts a process that sends requests to its own path. */
export async function startSender(
  name: string,
  options: {
    database: string
    url: string
    parallel: number
    concurrency?: number
    perSecond?: number
    awaitReply?: boolean
  },
): Promise<Sender> {
  const child = spawn(process.execPath, [SENDER, JSON.stringify({ ...options, url: `${options.url}/${name}` })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: Sender['lines'] = []
  let text = ''
  child.stdout.on('data', (data) => {
    const parts = (text + data).split('\n')
    text = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line)))
  })
  // The first request of a process takes longer to arrive: it compiles and connects.
  await eventually(() => expect(lines.length).toBeGreaterThan(options.awaitReply === false ? 0 : 1))
  return { lines, kill: () => void child.kill('SIGKILL'), ended }
}

/**
 * Never more requests than the limit allows, however late each of them arrives.
 * @param since a moment before the first of them could start
 */
export function expectAtMost(perSecond: number, arrivals: readonly Arrival[], since: number): void {
  const allowedAt = (at: number) => perSecond * (1 + (at - since) / 1000)
  expect(arrivals.filter(({ at }, before) => before + 1 > allowedAt(at))).toEqual([])
}

export const senders = (arrivals: readonly Arrival[], name: string) =>
  arrivals.filter(({ sender }) => sender === name).length
