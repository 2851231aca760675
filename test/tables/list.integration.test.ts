import { describe, expect, it } from 'vitest'
import type { FilterError } from '../../src/tables/filter-error.js'
import { type ListPage, readList, sortableColumns } from '../../src/tables/list.js'
import { LISTS, type ListName, listNamed } from '../../src/tables/lists/lists.js'
import { jsonRow, jsonSchema } from '../../src/tables/print/json.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { refreshFigures } from '../helpers/store/figures.js'
import { viewSourceOf } from '../helpers/view-source.js'

const NAMES = Object.keys(LISTS) as ListName[]

/** A channel with some of everything that lists show. */
async function openDesk() {
  const fixture = await openChannelFixture({ listings: 7, rfqs: 0 })
  const { world } = fixture.sandbox
  await fixture.pollListings()
  for (let number = 1; number <= 8; number++) {
    const rfq = world.addRfq(CHANNEL, {
      ...{ number: number % 3 === 0 ? 3 : number, title: number % 2 === 0 ? `Peat ${number}` : 'Forest' },
      responseDueDate: `2026-11-${17 + number}`,
    })
    for (let offer = 0; offer < number % 4; offer++) world.addResponse(rfq.id)
    fixture.advanceSeconds(3_600)
    await fixture.pollRfqs()
  }
  await fixture.closeExpired({ mode: 'dry-run' })
  await refreshFigures(fixture)
  const source = viewSourceOf(fixture.store)
  const read = (name: ListName, parameters: Record<string, string> = {}, limit?: number) =>
    readList(listNamed(name), source, { now: fixture.now(), parameters, ...(limit !== undefined && { limit }) })
  return { read }
}

describe('a list', () => {
  it('has the same rows on pages as at once, in every order and direction, and as its schema says', async () => {
    const { read } = await openDesk()
    for (const name of NAMES) {
      const { columns } = listNamed(name)
      const orders = sortableColumns(listNamed(name)).flatMap((key) => [key, `-${key}`])
      const schema = jsonSchema(columns)
      for (const sort of ['', ...orders]) {
        const whole = (await read(name, { sort })).rows
        const paged: unknown[] = []
        let page: ListPage<unknown> | null = null
        do {
          page = await read(name, { sort, ...(page?.next && { cursor: page.next }) }, 3)
          paged.push(...page.rows)
        } while (page.next !== null)
        const rowsOf = (rows: readonly unknown[]) => rows.map((row) => jsonRow(columns, row))
        expect(rowsOf(paged), `${name} by ${sort}`).toEqual(rowsOf(whole))
        for (const row of rowsOf(whole)) expect(schema.safeParse(row).error, name).toBeUndefined()
      }
    }
  })

  it('has the rows that a filter says, of all that it has without one', async () => {
    const { read } = await openDesk()
    const samples: Record<string, readonly string[]> = {
      ...{ channel: ['forest'], rfq: ['id:unknown'], since: ['2026-11-21T14:30Z'], before: ['in 2 days'] },
      ...{ words: ['peat'], flag: ['true', 'false'], choice: ['rfqs'], text: ['x'] },
    }
    for (const name of NAMES) {
      const { columns, filters } = listNamed(name)
      const keyOf = (row: unknown) => JSON.stringify(jsonRow(columns, row))
      const all = new Set((await read(name)).rows.map(keyOf))
      for (const { name: parameter, kind, values } of filters) {
        const texts = kind === 'choice' && Array.isArray(values) ? values : (samples[kind] ?? [])
        for (const text of kind === 'rfq' || typeof values === 'function' ? [] : texts) {
          const { rows, total } = await read(name, { [parameter]: text })
          expect([name, parameter, text, rows.filter((row) => !all.has(keyOf(row)))]).toEqual([
            name,
            parameter,
            text,
            [],
          ])
          expect(total).toBe(rows.length)
        }
      }
    }
    const numbers = async (parameters: Record<string, string>) =>
      (await read('rfqs', parameters)).rows.map((row) => (row as { number: number }).number).sort()
    expect(await numbers({ q: 'peat' })).toEqual([2, 3, 4, 8])
    expect(await numbers({ due_before: '2026-11-21' })).toEqual([1, 2, 3])
    expect(await numbers({ since: '2026-11-21T18:00Z' })).toEqual([7, 8])
    expect(await numbers({ waiting: 'false', state: 'closed' })).toEqual([])
  })

  it('refuses an unknown channel, value, column and cursor with what is allowed', async () => {
    const { read } = await openDesk()
    const problemOf = (parameters: Record<string, string>) =>
      read('runs', parameters).then(
        () => null,
        (error: FilterError) => error,
      )
    expect(await problemOf({ channel: 'acme/forst' })).toMatchObject({
      parameter: 'channel',
      suggestions: ['acme/forest'],
    })
    expect(await problemOf({ kind: 'rfq' })).toMatchObject({ parameter: 'kind', suggestions: ['rfqs'] })
    expect((await problemOf({ since: 'yesterday evening' }))?.message).toContain('2 days ago')
    expect((await problemOf({ sort: 'starts' }))?.message).toContain('startedAt')
    expect(await problemOf({ cursor: 'WzFd' })).toMatchObject({ parameter: 'cursor', status: 400 })
    const { next: cursor } = await read('runs', { sort: 'kind' }, 1)
    for (const sort of ['', '-kind', 'startedAt'])
      expect(await problemOf({ sort, cursor: cursor ?? '' })).toMatchObject({ parameter: 'cursor', status: 400 })
    expect(await problemOf({ channel: 'forest', since: 'yesterday' })).toBeNull()
  })
})
