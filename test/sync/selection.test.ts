import { describe, expect, it, vi } from 'vitest'
import { parseRfqListItem } from '../../src/core/documents/observation.js'
import type { RfqPollState } from '../../src/store/contract.js'
import { dedupeById } from '../../src/sync/list-entries.js'
import { detectMassLoss } from '../../src/sync/mass-loss.js'
import { reasonToRead } from '../../src/sync/plan/selection.js'

const NOW = new Date('2026-03-10T12:00:00Z')
const HOUR_MS = 3_600_000

describe('reasonToRead', () => {
  const listed = { id: 'a', hash: 'h', state: 'closed' as string | null }
  const known = {
    state: 'closed',
    entryHash: 'h',
    isFollowed: true,
    detailReadAt: NOW.toISOString(),
    incomplete: false,
    missingSince: null,
  } as RfqPollState
  const rules = { full: false, recheckClosedHours: 24, now: NOW }
  const reason = (
    changes: { listed?: object; known?: Partial<RfqPollState> | null; rules?: Partial<typeof rules> } = {},
  ) =>
    reasonToRead(
      { ...listed, ...changes.listed },
      changes.known === null ? undefined : { ...known, ...changes.known },
      { ...rules, ...changes.rules },
    )
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS).toISOString()

  it('is null for a closed RFQ that was read, stays listed, and has not changed', () => {
    expect(reason()).toBeNull()
  })

  it('is that it is to be checked again if it is unknown how long ago it was read', () => {
    expect(reason({ known: { detailReadAt: hoursAgo(-1 / 60) } })).toBeNull()
    expect(reason({ known: { detailReadAt: hoursAgo(-2 / 60) } })).toBe('recheck')
  })

  it.each([
    ['a full poll', { rules: { full: true } }, 'full poll'],
    ['an RFQ not stored', { known: null }, 'new'],
    ['an open RFQ', { listed: { state: 'open' } }, 'open'],
    ['an RFQ of an unknown state', { listed: { state: null } }, 'open'],
    ['an RFQ listed as closed and stored as open', { known: { state: 'open' } }, 'newly closed'],
    ['a changed list entry', { listed: { hash: 'other' } }, 'changed'],
    ['a list entry after which it was not read', { known: { isFollowed: false } }, 'changed'],
    ['an RFQ whose detail was never read', { known: { detailReadAt: null } }, 'incomplete'],
    ['an RFQ with an offer that was not read', { known: { incomplete: true } }, 'incomplete'],
    ['an RFQ that was missing', { known: { missingSince: hoursAgo(1) } }, 'returned'],
    ['an RFQ read exactly as long ago as allowed', { known: { detailReadAt: hoursAgo(24) } }, 'recheck'],
  ])('%s is read', (_, changes, expected) => {
    expect(reason(changes)).toBe(expected)
  })

  it('a closed RFQ is not read a moment earlier', () => {
    const readAt = new Date(NOW.getTime() - 24 * HOUR_MS + 1).toISOString()
    expect(reason({ known: { detailReadAt: readAt } })).toBeNull()
  })
})

describe('detectMassLoss', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`)
  const lost = (count: number, kept: number) => detectMassLoss(ids(count), new Set(ids(kept)), 'RFQs')

  it('is more than half of ten or more entries', () => {
    expect(lost(10, 4)).toContain('lost 6 of 10 RFQs')
    expect(lost(11, 5)).toContain('lost 6 of 11 RFQs')
    expect(lost(10, 5)).toBeNull()
    expect(lost(9, 0)).toBeNull()
    expect(lost(10, 10)).toBeNull()
  })
})

describe('dedupeById', () => {
  const listing = (id: string, title: string) => parseRfqListItem({ id, title })
  const codes = async (...titles: string[]) => {
    const entries = await dedupeById(
      'rfq',
      titles.map((title) => listing('a', title)),
    )
    const { problems, body } = entries.get('a') ?? { problems: [], body: null }
    return { size: entries.size, title: (body as { title: string }).title, codes: problems.map(({ code }) => code) }
  }

  it('counts equal entries once, without a problem', async () => {
    const once = await codes('A')
    expect(await codes('A', 'A')).toEqual(once)
    expect(once.codes).not.toContain('duplicate')
  })

  it('keeps the last of different entries, with a problem', async () => {
    const found = await codes('A', 'B')
    expect(found).toMatchObject({ size: 1, title: 'B' })
    expect(found.codes).toContain('duplicate')
  })

  it('lets the event loop run every 10 ms', async () => {
    let [time, turns] = [0, 0]
    vi.spyOn(performance, 'now').mockImplementation(() => time++) // Each entry takes one millisecond.
    const countTurn = () => {
      turns++
      timer = setImmediate(countTurn)
    }
    let timer = setImmediate(countTurn)
    await dedupeById(
      'rfq',
      Array.from({ length: 95 }, (_, index) => listing(`id-${index}`, 'A')),
    )
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(8)
    expect(turns).toBeLessThanOrEqual(10)
  })
})
