import { z } from 'zod'
import { isLoopback } from '../../core/requests/loopback.js'

/** What a running sandbox says of itself (docs/SANDBOX.md). */
const summarySchema = z.object({ channels: z.array(z.object({ channel: z.string().regex(/^[^/]+\/[^/]+$/) })).min(1) })
const keysSchema = z.record(z.string(), z.string())

export interface SandboxValues {
  channels: { org: string; channel: string }[]
  /** By organization. */
  keys: Record<string, string>
}

const MAX_WAIT_MS = 1_000

/** The channels and keys of the sandbox at an address, or null if there is none. Only this machine is asked. */
export async function sandboxAt(baseUrl: string): Promise<SandboxValues | null> {
  if (!isLoopback(new URL(baseUrl).hostname)) return null
  try {
    const read = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, baseUrl), { signal: AbortSignal.timeout(MAX_WAIT_MS) })).json()
    const { channels } = summarySchema.parse(await read('/_sandbox'))
    const keys = keysSchema.parse(await read('/_sandbox/keys'))
    const refs = channels.map(({ channel }) => {
      const [org = '', slug = ''] = channel.split('/')
      return { org, channel: slug }
    })
    return { channels: refs, keys }
  } catch {
    // Nothing listens there, or another program.
    return null
  }
}
