import { clockProblem } from '../../closing/clock-skew-check.js'
import type { ChannelConfig } from '../../config/contract.js'
import { isExampleAddress } from '../../config/example.js'
import { once } from '../../core/async.js'
import type { ChannelSession, ReadResult } from '../../marketplace/contract.js'
import { UnavailableError } from '../../marketplace/errors.js'
import { plural } from '../../tables/print/terminal-text.js'
import { VERSION } from '../../version.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { connectTo } from '../process/connect-to.js'
import { type Check, type CheckResult, failed, passed } from './finding.js'

/** A list that takes longer counts as failed, in milliseconds: `check` answers within seconds, unless the request limit is low. */
const MAX_READ_MS = 10_000

const NETWORK = 'check baseUrl, the network and the firewall, then try again'
const NO_CLOSING =
  'RFQs are not closed while the clocks differ: synchronize this machine with NTP, or contact the marketplace'

/**
 * The address first, then the first channel, then the others at the same time. Where a check gets no reply, the ones after
 * it would only wait for the same error.
 */
export function marketplaceChecks(cli: Cli, app: App): Check[] {
  const { baseUrl, channels } = app.config
  const reachable = once(async () => {
    if (isExampleAddress(baseUrl)) return failed('not checked: baseUrl is the example address')
    return passed(await connectTo(baseUrl, 'baseUrl'))
  })
  const context: ChannelContext = { cli, app, sessionOf: sessionOpener(cli, app), reachable, unanswered: null }
  const [first = [], ...others] = channels.map((channel) => channelChecks(context, channel))
  const firstDone = once(() => Promise.allSettled(first.map(({ run }) => run())))
  const later = others.flat().map(({ run, ...check }) => ({
    ...check,
    run: once(async () => {
      await firstDone()
      return context.unanswered === null ? run() : failed(`not checked: see ${context.unanswered}`)
    }),
  }))
  const address = async () => {
    const result = await reachable()
    void firstDone().then(() => Promise.allSettled(later.map(({ run }) => run())))
    return result
  }
  return [{ what: 'marketplace', remedy: NETWORK, run: address }, ...first, ...later]
}

interface ChannelContext {
  cli: Cli
  app: App
  sessionOf: (channel: ChannelConfig) => Promise<ChannelSession>
  reachable: () => Promise<CheckResult>
  /** The first check to which the marketplace sent no reply, or null. */
  unanswered: string | null
}

/** Opens sessions on a client of its own, without retries and with a deadline of seconds. */
function sessionOpener({ io }: Cli, app: App) {
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

function channelChecks(context: ChannelContext, channel: ChannelConfig): Check[] {
  const { io } = context.cli
  const { closing } = context.app.config
  const session = once(() => context.sessionOf(channel))
  const closes = channel.autoClose !== 'off' && closing.enabled

  const readList = async <T>(what: string, noun: string, read: (from: ChannelSession) => Promise<ReadResult<T[]>>) => {
    const startedAt = performance.now()
    const { value, readAt, serverDate } = await read(await session()).catch((error: unknown) => {
      if (error instanceof UnavailableError && error.status === null) context.unanswered ??= what
      throw error
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const skew = clockProblem({ readAt, answeredAt: io.now(), serverDate }, closing.maxClockSkewSeconds)
    return { summary: `${plural(value.length, noun)} in ${seconds} s`, skew }
  }
  const isReachable = () =>
    context.reachable().then(
      ({ ok }) => ok,
      () => false,
    )
  const [listings, rfqs] = [`${channel.key} listings`, `${channel.key} RFQs`]
  const readListings = once(async () => {
    if (!(await isReachable())) return failed('not checked: see marketplace')
    const { summary } = await readList(listings, 'listing', (from) => from.listListings())
    return passed(summary)
  })
  const readRfqs = once(async () => {
    if (!(await isReachable())) return failed('not checked: see marketplace')
    const before = await readListings().catch(() => null)
    if (!before?.ok) return failed(`not checked: see ${listings}`)
    const { summary, skew } = await readList(rfqs, 'RFQ', (from) => from.listRfqs())
    if (skew === null) return passed(summary)
    return closes ? failed(`${summary}; ${skew}`, NO_CLOSING) : passed(`${summary}; ${skew}`)
  })
  return [
    { what: listings, remedy: NETWORK, run: readListings },
    { what: rfqs, remedy: NETWORK, run: readRfqs },
  ]
}
