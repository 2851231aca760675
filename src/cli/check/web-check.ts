import { createServer } from 'node:net'
import type { CheckApp } from './check-app.js'
import { type CheckResult, failed, passed } from './finding.js'

/** A service that takes longer to answer counts as another program, in milliseconds. */
const MAX_ANSWER_MS = 5_000
/** What a server that listens on all addresses answers on. */
const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** `start` could listen on `web.host` and `web.port`, or the running service of this database does. */
export async function checkWeb(app: CheckApp): Promise<CheckResult> {
  const { host, port } = app.config.web
  const error = await tryToListen(host, port)
  if (error === null) return passed(port === 0 ? `any free port of ${host}` : `port ${port} of ${host} is free`)
  if (error.code === 'EADDRINUSE' && (await isOwnService(app)))
    return passed(`port ${port} of ${host}: the service of this database is running there`)
  const { toListenError } = await import('../../web/http/errors.js')
  return failed(toListenError(error, host, port).message)
}

/** Listens and stops at once. Resolves to why that is impossible, or null. */
function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', resolve)
    server.listen({ host, port }, () => server.close(() => resolve(null)))
  })
}

/** Whether the server there says that it serves this database. */
async function isOwnService({ config, store }: CheckApp): Promise<boolean> {
  const { host, port } = config.web
  const address = ALL_ADDRESSES[host] ?? host
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/healthz`
  try {
    const { DATABASE_HEADER, databaseFingerprint } = await import('../../web/routes/health.js')
    const fingerprint = databaseFingerprint(await (await store()).identity())
    const reply = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(MAX_ANSWER_MS) })
    await reply.body?.cancel()
    return reply.headers.get(DATABASE_HEADER) === fingerprint
  } catch {
    return false
  }
}
