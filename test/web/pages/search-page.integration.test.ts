import { describe, expect, it } from 'vitest'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'
import { offerOf, openRecorder } from '../../helpers/store/recorder.js'
import { openPages } from '../support/pages-fixture.js'

const OTHER = { org: 'acme', channel: 'water', apiKey: 'key of water', listings: 0, rfqs: 0 }

/** RFQs 1042 “Alpine forest” with an offer of Katari, and 1043 “100% 50_50 <b>”; a listing of Lumen. */
async function openSearch() {
  const fixture = await openChannelFixture({ listings: 0, others: [OTHER] })
  const { world } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { number: 1042, title: 'Alpine forest', reference: 'FY26-A' })
  world.addRfq(CHANNEL, { number: 1043, title: '100% 50_50 <b>', reference: 'FY26-B' })
  const names = { projectDeveloperName: 'Katari', projectName: 'Mangroves of Övik' }
  const offer = world.addResponse(id, { ...names, status: 'submitted', offer: offerOf(9.25, 2000) }).id
  world.addListing(CHANNEL, {
    ...{ projectName: 'Peat bogs', organizationName: 'Lumen', country: 'Finland' },
    ...{ registry: 'Verra', registryId: 'VCS-77' },
  })
  await fixture.pollListings()
  await fixture.pollRfqs()
  await openRecorder(fixture).round()
  const { app } = await openPages(fixture)
  const search = async (q: string, more = '') => app.inject(`/search?q=${encodeURIComponent(q)}${more}`)
  const linksOf = async (q: string, more = '') => {
    const { statusCode, body } = await search(q, more)
    expect(statusCode).toBe(200)
    const results = body.slice(body.indexOf('<main'), body.indexOf('</main>'))
    return [...results.matchAll(/<li><span><a href="([^"]+)">(.*?)<\/a>/g)].map(([, path, title]) => [path, title])
  }
  return { fixture, app, id, offer: String(offer), search, linksOf }
}

describe('/search', () => {
  it('finds RFQs, offers and listings by their names, and marks what matched', async () => {
    const { offer, linksOf, search } = await openSearch()
    const rfq = ['/rfqs/acme/forest/1042', '<mark>Alpine</mark> forest']
    expect(await linksOf('ALPINE')).toEqual([rfq])
    expect(await linksOf('fy26 alp')).toEqual([['/rfqs/acme/forest/1042', '<mark>Alp</mark>ine forest']])
    expect((await search('fy26 alp')).body).toContain('Reference <mark>FY26</mark>-A')
    const shown = '<mark>Katari</mark> · Mangroves of <mark>Övik</mark>'
    expect(await linksOf('katari övik')).toEqual([[`/rfqs/acme/forest/1042/offers/${offer}`, shown]])
    expect((await search('katari')).body).toContain('2,000 t at 9.25 USD/t')
    for (const q of ['lumen', 'finland', 'vcs-77', 'peat bog'])
      expect(await linksOf(q)).toEqual([
        [expect.stringMatching(/^\/listings\?channel=acme%2Fforest&amp;q=/), expect.anything()],
      ])
    expect((await search('vcs')).body).toContain('Registry id <mark>VCS</mark>-77')
  })

  it('leads to the RFQ that has the number, reference or id, unless several have it', async () => {
    const { fixture, id, search, linksOf } = await openSearch()
    for (const q of ['1042', ' 1042 ', 'RFQ 1042', '#1042', 'fy26-a', id])
      expect((await search(q)).headers.location).toBe('/rfqs/acme/forest/1042')
    expect(await linksOf('104')).toHaveLength(2)
    fixture.sandbox.world.addRfq(CHANNEL, { number: 1042, title: 'Twin' })
    await fixture.pollRfqs()
    expect((await linksOf('1042')).map(([path]) => path)).toEqual([
      expect.stringContaining('/rfqs/acme/forest/'),
      expect.stringContaining('/rfqs/acme/forest/'),
    ])
  })

  it('takes characters of patterns and of HTML as they are', async () => {
    const { linksOf, search } = await openSearch()
    for (const q of ['100%', '50_50', '<b>']) expect(await linksOf(q)).toHaveLength(1)
    for (const q of ['1_0%', '%', '.*', '\\', '!']) expect((await linksOf(q)).length).toBe(q === '%' ? 1 : 0)
    expect((await search('<b>')).body).not.toContain('<b>')
  })

  it('says what is searched if nothing is found, or nothing was asked for', async () => {
    const { search, app } = await openSearch()
    const { body } = await search('alpine <x>')
    expect(body).toContain('Nothing contains “alpine” and “&lt;x>”')
    for (const page of [body, (await app.inject('/search')).body]) expect(page).toContain('What is searched')
    expect((await search('x'.repeat(201))).statusCode).toBe(400)
    expect((await search('x', '&in=reports')).statusCode).toBe(400)
  })

  it('shows twenty of each group, and leads to the others', async () => {
    const { fixture, linksOf, search } = await openSearch()
    for (let number = 1; number <= 21; number++) fixture.sandbox.world.addRfq(CHANNEL, { number, title: 'Batch' })
    await fixture.pollRfqs()
    expect(await linksOf('batch')).toHaveLength(20)
    expect((await search('batch')).body).toContain('href="/rfqs?q=batch"')
    expect(await linksOf('batch', '&in=rfqs')).toHaveLength(21)
    expect(await linksOf('katari', '&in=rfqs')).toEqual([])
  })
})
