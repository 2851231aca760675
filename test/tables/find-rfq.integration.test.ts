import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FilterError } from '../../src/tables/filter-error.js'
import { findRfq, type RfqSearch } from '../../src/tables/find-rfq.js'
import { anRfq } from '../helpers/data/sample-documents.js'
import { refreshFigures } from '../helpers/store/figures.js'
import { holdingRun, runEnd } from '../helpers/store/holding-run.js'
import { at, CHANNEL, noonStore, rfqSnapshot } from '../helpers/store/recording-store.js'
import { rfqRows } from '../helpers/view-source.js'

const BLUE = 'acme/blue'

type Document = Record<string, unknown> & { id: string }

/** A poll of a channel at a time of the day, and the RFQs that it observed. */
const poll = (time: string, rfqs: readonly Document[], channel = CHANNEL) => ({ channel, time, rfqs })

async function storeWith(...polls: ReturnType<typeof poll>[]) {
  const store = await noonStore()
  for (const { channel, time, rfqs } of polls) {
    const run = await holdingRun(store, { channel, kind: 'rfqs', now: at(time) })
    for (const { id, ...more } of rfqs) {
      const rfq = anRfq(id, { number: 1, reference: `REF ${id}`, responses: [], ...more })
      await store.recordRfq(run, rfqSnapshot(rfq, [], at(time)), at(time))
    }
    await run.finish(runEnd(), at(time))
  }
  const find = (name: string, more: Omit<RfqSearch, 'name'> = {}) =>
    findRfq(store, { name, ...more }).then(
      ({ channel, id }) => `${channel} ${id}`,
      ({ status, message, suggestions }: FilterError) => ({ status, message, suggestions }),
    )
  return { store, find }
}

describe('finding an RFQ by name', () => {
  it('leads to the only one with that id, number or reference, and to none if they are those of several', async () => {
    const { find } = await storeWith(
      poll('08:00:00', [
        { id: '42', number: 7, title: 'Identified' },
        { id: 'b', number: 42, reference: 'B', title: 'Numbered' },
        { id: 'c', number: 8, reference: 'b', title: 'Referenced' },
        { id: 'd', number: 9, reference: '9' },
      ]),
    )
    for (const name of ['7', 'id:42', 'REF 42', 'ref 42', 'reference:Ref 42', 'number:7']) {
      expect([name, await find(name)]).toEqual([name, 'acme/forest 42'])
    }
    for (const name of ['number:42', 'id:b']) expect([name, await find(name)]).toEqual([name, 'acme/forest b'])
    // One RFQ that has a name twice is one RFQ.
    expect(await find('9')).toBe('acme/forest d')
    expect(await find('42')).toEqual({
      status: 409,
      message:
        '"42" matches 2 RFQs; write id:…, number:… or reference:… for the one that is meant:\n' +
        '  acme/forest, number 7, id:42, Identified\n  acme/forest, number 42, id:b, Numbered',
      suggestions: ['id:42', 'id:b'],
    })
    expect(await find('B')).toMatchObject({ status: 409, suggestions: ['id:b', 'id:c'] })
    expect(await find('id:B')).toMatchObject({ status: 404 })
    expect(await find('reference:b')).toMatchObject({ status: 409, suggestions: ['id:b', 'id:c'] })
  })

  it('asks for the channel of a number of two channels, and for an id where one channel has it twice', async () => {
    const five = [{ id: 'a', number: 5 }]
    const { find } = await storeWith(poll('08:00:00', five), poll('08:00:00', five, BLUE))
    expect(await find('5', { channel: BLUE })).toBe('acme/blue a')
    expect(await find('acme/blue/5')).toBe('acme/blue a')
    expect(await find('acme/blue/id:a', { channel: BLUE })).toBe('acme/blue a')
    expect(await find('acme/blue/5', { channel: CHANNEL })).toMatchObject({ status: 404 })
    expect(await find('acme/blue/6')).toMatchObject({
      message: expect.stringMatching(/^no RFQ matches "6" in acme\/blue;/),
    })
    expect(await find('2026/RFQ/5')).toMatchObject({ message: expect.stringMatching(/^no RFQ matches "2026\/RFQ\/5"/) })
    for (const name of ['5', 'a', 'id:a', 'number:5']) {
      expect(await find(name)).toMatchObject({
        status: 409,
        message: `"${name}" matches 2 RFQs; name its channel:\n  acme/blue, number 5, id:a, Blue carbon\n  acme/forest, number 5, id:a, Blue carbon`,
      })
    }
    const twins = await storeWith(
      poll('08:00:00', [...five, { id: 'b', number: 5 }]),
      poll('08:00:00', [{ id: 'c', number: 5 }], BLUE),
    )
    expect(await twins.find('5', { channel: CHANNEL })).toMatchObject({ status: 409, suggestions: ['id:a', 'id:b'] })
    expect(await twins.find('5')).toMatchObject({
      message: expect.stringMatching(/3 RFQs; name its channel, and write id:…, number:… or reference:… for the one/),
    })
    expect(await twins.find('id:b')).toBe('acme/forest b')
  })

  it('goes by the names of the moment; a former one leads nowhere', async () => {
    const { find } = await storeWith(
      poll('08:00:00', [{ id: 'a', number: 7 }]),
      poll('09:00:00', [
        { id: 'a', number: 8 },
        { id: 'b', number: 9 },
      ]),
      poll('10:00:00', [{ id: 'b', number: 8 }]),
    )
    const then = { asOf: at('08:30:00') }
    expect(await find('7', then)).toBe('acme/forest a')
    expect(await find('8', { asOf: at('09:30:00') })).toBe('acme/forest a')
    expect(await find('8')).toMatchObject({ status: 409, suggestions: ['id:a', 'id:b'] })
    expect(await find('9')).toMatchObject({ status: 404 })
    expect(await find('8', then)).toMatchObject({
      message: expect.stringContaining('as of 2026-11-21T08:30:00.000Z;'),
    })
    expect(await find('id:b', then)).toMatchObject({ status: 404 })
    expect(await find('7', { asOf: at('07:00:00') })).toMatchObject({ message: expect.stringMatching(/known then$/) })
  })

  it('suggests what is close, and says if nothing is known', async () => {
    const { find } = await storeWith(
      poll('08:00:00', [
        { id: 'a', number: 1042, title: 'Mangroves' },
        { id: 'b', number: 5_000_123 },
      ]),
    )
    expect(await find('1043', { channel: CHANNEL })).toEqual({
      status: 404,
      message: 'no RFQ matches "1043" in acme/forest; closest matches:\n  acme/forest, number 1042, id:a, Mangroves',
      suggestions: ['1042'],
    })
    expect(await find('mangrove')).toMatchObject({ suggestions: ['1042'] })
    expect(await find('x'.repeat(3000))).toMatchObject({ suggestions: [] })
    expect(await find('1042', { channel: BLUE })).toMatchObject({ message: expect.stringContaining('stored yet') })
    expect(await find('a\u001b[31m\nb')).toMatchObject({
      message: expect.stringMatching(/^no RFQ matches "a\ufffd\[31m b"/),
    })
  })
})

describe('the name by which an RFQ is shown', () => {
  it('leads to no other, and to it unless another has the number as reference or id, in lists and on pages, whatever identifiers, numbers and references there are', async () => {
    const plain = ['1', '2', 'id:1', 'number:2', 'reference:1', '-x', 'a', 'A']
    const texts = [...plain, ...['a\\u0000b', ' ', '1.0', 'ä', 'Ä', "o'x"]]
    const numbers = [1, 2, 3, '1', '3', 1e21, null, -1, 2.5]
    const any = fc.record({
      id: fc.constantFrom(...texts),
      number: fc.constantFrom(...numbers),
      reference: fc.constantFrom(...texts, 'a\0b'),
    })
    const channels = fc.uniqueArray(any, { selector: ({ id }) => id, minLength: 5, maxLength: 8 })
    const [all, names] = [[] as string[], new Set<string>()]
    for (const rfqs of fc.sample(channels, { numRuns: 12, seed: 1 })) {
      const { store, find } = await storeWith(poll('08:00:00', rfqs), poll('08:00:00', rfqs.slice(0, 2), BLUE))
      const now = at('12:00:00')
      await refreshFigures({ store, now: () => now })
      for (const { id, channel, name } of await rfqRows(store, now)) {
        const found = await find(name, { channel })
        const isShared = typeof found !== 'string' && found.status === 409 && !name.startsWith('id:')
        if (!isShared) expect([name, found]).toEqual([name, `${channel} ${id}`])
        all.push(name)
        names.add(name)
      }
      for (const { id } of rfqs) {
        const { name } = await findRfq(store, { name: `id:${id}`, channel: CHANNEL })
        expect([name, await find(name, { channel: CHANNEL })]).toEqual([name, `${CHANNEL} ${id}`])
      }
    }
    expect(all.filter((name) => name.startsWith('id:')).length).toBeGreaterThan(10)
    expect(names).toContain('2.5')
  })
})
