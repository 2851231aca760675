import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventKind } from '../../../src/core/events/events.js'
import type { Store } from '../../../src/store/contract.js'
import { openChannelFixture } from '../../helpers/channel-fixture.js'
import { longIt } from '../../helpers/long-tests.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { databaseOf, openReaderOf, rowsOf } from '../../helpers/store/store-engine.js'

const WRITER = join(import.meta.dirname, '../../fixtures/write-events.mjs')

/** A process that records polls of a channel; resolves when it has ended. */
function startWriter(store: Store, channel: string, polls: number) {
  const child = spawn(process.execPath, [WRITER, databaseOf(store), channel, String(polls)], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code)
  return { kill: () => child.kill('SIGKILL'), ended }
}

type FeedReader = Awaited<ReturnType<typeof openReaderOf>>

/** Reads the feed page by page, once more after the writers have ended. Resolves to the sequences in the order in which it saw them. */
async function readFeed(
  reader: FeedReader,
  limit: number,
  isOver: () => boolean,
  onEvent = (_channel: string | null) => {},
) {
  const seen: number[] = []
  let after = 0
  for (let isLast = false; !isLast; await yieldToEventLoop()) {
    isLast = isOver()
    for (let isFull = true; isFull; ) {
      const { items, next } = await reader.events({ after, limit })
      seen.push(...items.map(({ sequence }) => sequence))
      for (const { channel } of items) onEvent(channel)
      after = next
      isFull = items.length === limit
    }
  }
  return seen
}

describe('event feed', () => {
  longIt(
    'returns every event once to three readers, in order and without gaps, while three processes write, roll back and are killed',
    async () => {
      const store = await openNewStore()
      const writers = ['acme/one', 'acme/two'].map((channel) => startWriter(store, channel, 20))
      const killed = startWriter(store, 'acme/killed', 1_000_000)
      let isOver = false
      let read = 0
      const killSoon = (channel: string | null) => {
        if (channel === 'acme/killed' && ++read > 30) killed.kill()
      }
      const limits = [500, 7, 1]
      const feeds = limits.map(async (limit) =>
        readFeed(await openReaderOf(store), limit, () => isOver, limit === 500 ? killSoon : undefined),
      )
      expect(await Promise.all([...writers, killed].map(({ ended }) => ended))).toEqual([0, 0, 'SIGKILL'])
      isOver = true
      const events = (await rowsOf(store, 'select channel, kind from events order by sequence')) as {
        channel: string
        kind: string
      }[]
      const all = events.map((_, at) => at + 1)
      for (const seen of await Promise.all(feeds)) expect(seen).toEqual(all)
      expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(['channel.first-poll', 'offer.changed']))
      // The first poll is one event; each other one changes twelve offers.
      expect(events.filter(({ channel }) => channel === 'acme/one')).toHaveLength(1 + 19 * 12)
    },
  )

  it('filters by kind, and reports from which sequence it is complete after pruning', async () => {
    const fixture = await openChannelFixture({ time: '2026-11-21T12:00:00.000Z' })
    const { store, now } = fixture
    const record = (kind: EventKind) => store.recordEvents([{ kind, at: now().toISOString(), channel: null, data: {} }])
    for (const kind of ['rfq.new', 'report.made', 'report.made', 'rfq.new', 'report.made'] as const) await record(kind)
    const first = await store.events({ after: 0, kinds: ['rfq.new'], limit: 1 })
    expect(first).toMatchObject({ items: [{ sequence: 1 }], next: 1, beginsAt: 1 })
    expect(await store.events({ after: 4, kinds: ['rfq.new'], limit: 5 })).toEqual({ items: [], next: 5, beginsAt: 1 })
    fixture.advanceSeconds(60)
    await store.prune({ before: now() })
    await fixture.reopenStore()
    await fixture.store.recordEvents([{ kind: 'rfq.new', at: now().toISOString(), channel: null, data: {} }])
    const kept = await fixture.store.events({ after: 0, limit: 5 })
    expect(kept).toMatchObject({ next: 6, beginsAt: 4 })
    expect(kept.items.map(({ sequence }) => sequence)).toEqual([1, 4, 5, 6])
  })
})
