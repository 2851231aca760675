import { describe, expect, it } from 'vitest'
import type { Marketplace } from '../../src/marketplace/contract.js'
import type { Store } from '../../src/store/contract.js'
import { pollContext, pollOptions } from '../../src/sync/poll-inputs.js'

describe('what a poll is given', () => {
  it('is a session of its channel that ends with the run, and the time zone of the channel', () => {
    const sessions: unknown[] = []
    const marketplace = { session: (...parameters: unknown[]) => sessions.push(parameters) } as unknown as Marketplace
    const services = { marketplace, store: {} as Store, now: () => new Date(0) }
    const channel = { org: 'acme', channel: 'forest', apiKey: 'key', timeZone: 'Europe/Berlin' }
    const { signal } = new AbortController()
    expect(pollContext(services, channel, signal)).toEqual({
      session: 1,
      store: services.store,
      now: services.now,
      timeZone: 'Europe/Berlin',
      signal,
    })
    expect(sessions).toEqual([[channel, { signal }]])
  })

  it('is how often closed RFQs are read, and how many at once, as configured', () => {
    const config = {
      history: { recheckClosedHours: 12 },
      requests: { concurrency: 3 },
    }
    expect(pollOptions(config)).toEqual({ recheckClosedHours: 12, concurrency: 3 })
  })
})
