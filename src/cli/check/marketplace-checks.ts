import { clockProblem } from '../../closing/evaluate.js'
import type { ChannelConfig } from '../../config/contract.js'
import { isExampleAddress } from '../../config/example.js'
import { once } from '../../core/async.js'
import { formatCount } from '../../core/text/number-format.js'
import type { ChannelSession, ReadResult } from '../../marketplace/contract.js'
import { UnavailableError } from '../../marketplace/errors.js'
import { VERSION } from '../../version.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { type Check, failed, passed } from './local-checks.js'

/** A list that takes longer counts as failed, in milliseconds: `check` answers within seconds, unless the request limit is low. */
const MAX_READ_MS = 10_000

const NO_CLOSING =
  'RFQs are not closed while the clocks differ: synchronize this machine with NTP, or contact the marketplace'

/**
 * Reads the lists of each channel. Where one gets no reply, the next ones would only wait for the same error, and are not read; a key
 * that is refused for one list of a channel is refused for the other one.
 */
export function marketplaceChecks({ io }: Cli, app: App): Check[] {
  const { baseUrl, channels, closing } = app.config
  const open = sessionOpener(io, app)
  /** The check that says why no request is sent. */
  let unanswered = isExampleAddress(baseUrl) ? 'configuration' : null
  const refused = new Map<string, string>()
  const listCheck = <T>(
    channel: ChannelConfig,
    noun: 'listing' | 'RFQ',
    read: (session: ChannelSession) => Promise<ReadResult<T[]>>,
  ): Check => {
    const what = `${channel.key} ${noun}s`
    const run = async () => {
      const failure = unanswered ?? refused.get(channel.key)
      if (failure !== undefined) return failed(`not checked: see ${failure}`)
      const startedAt = performance.now()
      const { value, readAt, serverDate } = await read(await open(channel)).catch((error: unknown) => {
        if (error instanceof UnavailableError && error.status === null) unanswered = what
        refused.set(channel.key, what)
        throw error
      })
      const found = `${formatCount(value.length, noun)} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`
      const skew = clockProblem({ readAt, answeredAt: io.now(), serverDate }, closing.maxClockSkewSeconds)
      if (noun === 'listing' || skew === null) return passed(found)
      const closes = channel.autoClose !== 'off' && closing.enabled
      return closes ? failed(`${found}; ${skew}`, NO_CLOSING) : passed(`${found}; ${skew}`)
    }
    return { what, run }
  }
  return channels.flatMap((channel) => [
    listCheck(channel, 'listing', (session) => session.listListings()),
    listCheck(channel, 'RFQ', (session) => session.listRfqs()),
  ])
}

/** Opens sessions on a client of its own, without retries and with a deadline of seconds. */
function sessionOpener(io: Cli['io'], app: App) {
  const { baseUrl, requests } = app.config
  const limits = { ...requests, retries: 0, timeoutMs: Math.min(requests.timeoutMs, MAX_READ_MS) }
  const open = once(async () => {
    const { createMarketplace } = await import('../../marketplace/client.js')
    // Without a database, these few requests have their own limits.
    const store = await app.store().catch(() => null)
    const ledger = store?.requestLedger(new URL(baseUrl).origin)
    const marketplace = createMarketplace({ baseUrl, limits, ledger, version: VERSION, now: io.now })
    app.onClose(() => marketplace.close())
    return marketplace
  })
  return async (channel: ChannelConfig) => (await open()).session(channel, { signal: io.stop })
}
