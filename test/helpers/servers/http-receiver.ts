import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Received {
  headers: Record<string, string>
  body: string
  path: string
}
type Answer = { status: number; headers?: Record<string, string>; body?: string }

/** A local HTTP server. `answer` says what each request gets; those with a 2xx are `accepted`. */
export async function httpReceiver(answer: (request: Received, count: number) => Answer = () => ({ status: 204 })) {
  const requests: Received[] = []
  const accepted: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const received = { headers: request.headers as Record<string, string>, body, path: request.url ?? '' }
    requests.push(received)
    const { status, headers = {}, body: reply = '' } = answer(received, requests.length)
    if (status < 300) accepted.push(received)
    response.writeHead(status, headers).end(reply)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, requests, accepted }
}
