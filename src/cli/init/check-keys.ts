import { plural } from '../../tables/print/terminal-text.js'
import { VERSION } from '../../version.js'
import type { Cli } from '../cli-context.js'
import { errorMessage } from '../output/error-message.js'
import type { InitValues } from './init-values.js'

const LIMITS = { concurrency: 2, perSecond: 5, timeoutMs: 10_000, retries: 0, maxBodyMiB: 256 }

/** Reads the listings of each channel whose key is known, and notes what came of it. */
export async function checkKeys(
  { io }: Pick<Cli, 'io'>,
  { baseUrl, channels, keys }: InitValues,
  note: (text: string) => void,
): Promise<void> {
  const { createMarketplace } = await import('../../marketplace/client.js')
  const marketplace = createMarketplace({ baseUrl, limits: LIMITS, version: VERSION, now: io.now })
  try {
    for (const { org, channel } of channels) {
      const apiKey = keys[org]
      if (apiKey === undefined) continue
      const name = `${org}/${channel}`
      try {
        const { value } = await marketplace.session({ org, channel, apiKey }, { signal: io.stop }).listListings()
        note(`${name}: the key works, ${plural(value.length, 'listing')}.`)
      } catch (error) {
        io.stop.throwIfAborted()
        note(`${name}: ${errorMessage(error)}. Correct the files, then run: quotekeeper check`)
      }
    }
  } finally {
    await marketplace.close()
  }
}
