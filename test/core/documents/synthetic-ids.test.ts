import { describe, expect, it } from 'vitest'
import { assignSyntheticIds, syntheticId } from '../../../src/core/documents/synthetic-ids.js'
import { aListing, anRfq } from '../../helpers/data/sample-documents.js'

const LONG = 'i'.repeat(1001)
const without = (body: object, ...members: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([member]) => !members.includes(member)))

describe('the identifier of a document without a usable one', () => {
  it('is that of its long identifier, whatever else changes', () => {
    const id = syntheticId('rfq', { ...anRfq(), id: LONG })
    expect(id).toMatch(/^unidentified-[0-9a-f]{16}$/)
    expect(syntheticId('rfq', { id: LONG, number: 7, title: 'Other', link: 'https://a.example/?signature=1' })).toBe(id)
    expect(syntheticId('rfq', { ...anRfq(), id: `${LONG}i` })).not.toBe(id)
  })

  it('is that of an identifier that is no text, of any number of digits', () => {
    for (const id of [5, 0, { $oid: '65a' }, ['a', 1]]) {
      expect(syntheticId('rfq', { id, title: 'a' })).toBe(syntheticId('rfq', { id, title: 'b' }))
      expect(syntheticId('rfq', { id, title: 'a' })).not.toBe(syntheticId('rfq', { id: 6, title: 'a' }))
    }
  })

  it('is that of the members that tell documents apart, if there is no identifier at all', () => {
    for (const id of [undefined, null, '', true, {}, []]) {
      const rfq = { ...anRfq(), id, number: 12 }
      expect(syntheticId('rfq', rfq)).toBe(syntheticId('rfq', { id, number: 12, title: 'Renamed' }))
      expect(syntheticId('rfq', rfq)).not.toBe(syntheticId('rfq', { ...rfq, number: 13 }))
    }
    const unnumbered = { reference: 'A-1', title: 'Old' }
    expect(syntheticId('rfq', unnumbered)).toBe(syntheticId('rfq', { ...unnumbered, title: 'New' }))
    const listing = { ...without(aListing(), 'id'), registryId: 'VCS-7' }
    expect(syntheticId('listing', listing)).toBe(syntheticId('listing', { ...listing, projectName: 'Renamed' }))
    expect(syntheticId('listing', listing)).not.toBe(syntheticId('listing', { ...listing, registry: 'Other' }))
    const unregistered = { projectName: 'Forest', storefrontUrl: 'https://a.example/forest?session=1' }
    expect(syntheticId('listing', unregistered)).toBe(
      syntheticId('listing', {
        ...unregistered,
        storefrontUrl: 'https://a.example/forest?session=2',
        country: 'FR',
      }),
    )
  })

  it('is otherwise that of its content, without what may differ at every read', () => {
    const body = (n: number) => ({
      title: 'a',
      updatedAt: `2026-01-0${n}T00:00:00.000Z`,
      files: [{ link: `https://a.example/file?signature=${n}#${n}`, expires: n }],
    })
    expect(syntheticId('rfq', body(1))).toBe(syntheticId('rfq', body(2)))
    expect(syntheticId('rfq', { ...body(1), title: 'b' })).not.toBe(syntheticId('rfq', body(1)))
    for (const odd of [null, 'text', 5, [], {}]) expect(syntheticId('listing', odd)).toMatch(/^unidentified-\w{16}$/)
  })
})

describe('the identifiers of several documents of one list', () => {
  const identify = (bodies: object[], kind: 'listing' | 'rfq' = 'listing') => {
    const entries = bodies.map((exactBody) => ({ id: '', exactBody }))
    assignSyntheticIds(kind, entries)
    return entries.map(({ id }) => id)
  }

  it('differ, do not depend on their order, and are the usual ones where nothing is shared', () => {
    const shared = { registryId: 'VCS-1', registry: 'Verra', organizationName: 'A' }
    const bodies = [
      { ...shared, projectName: 'North' },
      { ...shared, projectName: 'South', country: 'FR' },
      { ...shared, projectName: 'South', country: 'PT' },
      { ...shared, projectName: 'South', country: 'PT', link: 'https://a.example/?n=1' },
      { ...shared, projectName: 'South', country: 'PT', link: 'https://a.example/?n=2' },
      { registryId: 'VCS-4' },
      { id: 5, registryId: 'VCS-2' },
      { id: 6, registryId: 'VCS-2' },
      { id: 6, registryId: 'VCS-3' },
    ]
    const ids = identify(bodies)
    expect(new Set(ids).size).toBe(bodies.length)
    expect(identify([...bodies].reverse()).reverse()).toEqual(ids)
    const usual = bodies.map((body) => syntheticId('listing', body))
    expect([4, 5, 6].map((at) => ids[at] === usual[at])).toEqual([false, true, true])
    const changed = bodies.map((body, at) => (at === 0 || at === 5 ? { ...body, country: 'ES' } : body))
    expect(identify(changed)).toEqual(ids)
  })

  it('stay the same while the signatures of addresses within their texts change', () => {
    const rfqs = (n: number) =>
      ['A', 'B'].map((name) => ({
        number: 7,
        additionalRequirements: `${name} https://a.example/x?sig=${n} and (HTTP://a.example/y#${n}), "https://a.example/z?${n}" end`,
      }))
    const ids = identify(rfqs(1), 'rfq')
    expect(new Set(ids).size).toBe(2)
    expect(identify(rfqs(2), 'rfq')).toEqual(ids)
    const other = rfqs(1).map((rfq) => ({ ...rfq, additionalRequirements: `${rfq.additionalRequirements}s` }))
    for (const id of identify(other, 'rfq')) expect(ids).not.toContain(id)
  })

  it('are looked for in texts of many addresses in linear time', () => {
    const text = (n: number) => `${'http://'.repeat(200_000)}?sig=${n}`
    expect(syntheticId('rfq', { text: text(1) })).toBe(syntheticId('rfq', { text: text(2) }))
  })
})
