import { describe, expect, it, vi } from 'vitest'
import { contentHash } from '../../src/core/documents/canonical-json.js'
import { type Observation, parseRfqListItem } from '../../src/core/documents/observation.js'
import { entryTermsOf } from '../../src/core/sources/sources.js'
import { dedupeById } from '../../src/sync/list-entries.js'

const entry = (body: Record<string, unknown>) =>
  ({ id: 'a', body, exactBody: body, problems: [], hash: contentHash('rfq', body) }) as unknown as Observation<unknown>

async function kept(bodies: Record<string, unknown>[]) {
  const found = (await dedupeById('rfq', bodies.map(entry))).get('a')
  const all = [...(found?.others ?? []), ...(found ? [found] : [])]
  return { entryHash: found?.entryHash, problems: found?.problems, bodies: all.map(({ body }) => body) }
}

describe('several entries with one identifier', () => {
  const titles = (count: number, more = {}) =>
    Array.from({ length: count }, (_, at) => ({ id: 'a', title: `${at}`, ...more }))

  it('count once if they are equal', async () => {
    const one = { id: 'a', title: 'one' }
    expect(await kept([one, one, one])).toMatchObject({
      entryHash: contentHash('rfq', one),
      problems: [],
      bodies: [one],
    })
  })

  it('have the same hash in any order, however often each is there', async () => {
    const [first, second, third] = titles(3) as [object, object, object]
    const hash = async (...bodies: object[]) => (await kept(bodies as Record<string, unknown>[])).entryHash
    const expected = await hash(first, second, third)
    expect(await hash(third, first, second)).toBe(expected)
    expect(await hash(first, third, second, second, first)).toBe(expected)
    expect(await hash(first, second)).not.toBe(expected)
    const alternating = Array.from({ length: 9 }, () => [first, second]).flat() as Record<string, unknown>[]
    expect((await kept(alternating)).bodies).toEqual([first, second])
  })

  it('are kept up to eleven, with a problem', async () => {
    const { bodies, problems } = await kept(titles(30))
    expect(bodies).toHaveLength(11)
    expect(bodies.at(-1)).toEqual({ id: 'a', title: '29' })
    expect(problems).toMatchObject([{ code: 'duplicate' }])
  })

  it.each([{ state: 'closed' }, { state: 5 }, { responseDueDate: '2027-01-01' }])(
    'are doubtful if any of three thousand has another %j',
    async (other) => {
      const same = titles(3_000)
      for (const body of same) Object.assign(body, { state: 'open', responseDueDate: '2026-01-01' })
      for (const at of [0, 5, 1_500, 2_999]) {
        const all = same.map((body, index) => (index === at ? { ...body, ...other } : body))
        const { bodies } = await kept(all)
        expect(bodies.length).toBeLessThanOrEqual(21)
        expect(entryTermsOf({ body: bodies, isAmbiguous: false }).isDoubtful).toBe(true)
      }
    },
  )

  it('that say nothing of what decides do not hide those that do', async () => {
    const all = [...titles(50), ...titles(50, { state: 'open' }), { id: 'a', state: 'closed' }, ...titles(9)]
    const { bodies } = await kept(all)
    expect(entryTermsOf({ body: bodies, isAmbiguous: false }).isDoubtful).toBe(true)
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
