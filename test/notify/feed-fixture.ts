import { onTestFinished, vi } from 'vitest'
import type { Config } from '../../src/config/contract.js'
import { EVENT_KINDS, type EventKind } from '../../src/core/events/events.js'
import { createScrubber } from '../../src/core/text/secret-scrubber.js'
import type { EmailTarget, NotifyTarget, WebhookTarget } from '../../src/notify/contract.js'
import { type DeliveryOptions, deliverTo } from '../../src/notify/deliverer.js'
import { createSendMessage } from '../../src/notify/send-message.js'
import { targetSecrets } from '../../src/notify/target-secrets.js'
import { createWatch } from '../../src/notify/watch.js'
import type { Store } from '../../src/store/contract.js'
import { recordingLog } from '../helpers/recording-log.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { openAgain } from '../helpers/store/store-engine.js'
import { testConfig } from '../helpers/test-config.js'

export const CHANNEL = 'acme/forest'
export const START = '2026-11-21T12:00:00.000Z'
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A store in a real file, with a clock that only the test moves; the signature library of the receiver has the same. */
export async function openFeed() {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(START) })
  const now = () => new Date()
  let store = await openNewStore({ clock: now })
  onTestFinished(() => void vi.useRealTimers())
  let next = 0
  return {
    now,
    get store() {
      return store
    },
    advance: (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds),
    reopen: async () => {
      await store.close()
      store = await openAgain(store.name, { clock: now })
    },
    /** Records an event; resolves to its number, which is the decision in its data. */
    emit: async (kind: EventKind = 'offer.new', channel = CHANNEL, reason = '') => {
      const decision = ++next
      await store.recordEvents([{ kind, at: now().toISOString(), channel, data: { decision, reason } }])
      return decision
    },
  }
}

/** What a target takes: everything. */
export const TAKES_ALL = { kinds: Object.keys(EVENT_KINDS) as EventKind[], channels: null }

export const webhook = (url: string, name = 'crm', more: Partial<WebhookTarget> = {}): WebhookTarget => ({
  ...{ name, type: 'webhook', ...TAKES_ALL, url, isUrlSecret: false, secret: SECRET, ...more },
})

export const email = (more: Partial<EmailTarget> = {}): EmailTarget => ({
  ...{ name: 'desk', type: 'email', ...TAKES_ALL, digest: null, attachWorkbook: false },
  ...{ from: 'quotekeeper@desk.test', to: ['ana@desk.test'] },
  smtp: { host: '127.0.0.1', port: 1, security: 'none', user: null, password: null },
  ...more,
})

/** Notifications as the service has them, with these targets. */
export async function notifications(
  store: Store,
  targets: NotifyTarget[],
  more: Partial<DeliveryOptions & { config: Config; reportsDirectory: string }> = {},
) {
  const { reportsDirectory = '/nowhere', config = testConfig(), now = () => new Date() } = more
  const log = recordingLog()
  const delivery = {
    ...{ store, now, log, timeZone: 'UTC', random: () => 0 },
    send: createSendMessage({ reportsDirectory, scrub: createScrubber(targets.flatMap(targetSecrets)) }),
    ...more,
  }
  await store.setTargets(targets)
  const { signal } = new AbortController()
  return {
    log,
    watch: createWatch({ config, store, now }),
    deliver: () =>
      Promise.all(targets.map((target) => deliverTo(target, delivery, signal))).catch((error) =>
        log.warn({ err: error }, 'sending notifications failed'),
      ),
  }
}
