import { describe, expect, it } from 'vitest'
import { createViewSource, viewConfigOf } from '../../../src/tables/source.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { testConfig } from '../../helpers/test-config.js'
import { sheetsOf } from '../../reports/support/workbooks.js'
import { APPLICATION_PAGES, openPages, sendForm } from '../support/pages-fixture.js'

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(2)> \u202Egnp.exe pay\u200Bpal \u001B[2J`
/** They reorder, hide or control. */
const HIDDEN = ['\u202E', '\u200B', '\u001B']
const FORMULA = '=HYPERLINK("http://x")'

interface OneRfq extends ChannelFixture {
  rfqId: string
  offerIds: string[]
}

/** An RFQ for 100 t or more with three offers. */
async function oneRfq(texts: { title?: string; project?: string } = {}): Promise<OneRfq> {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const { id: rfqId } = world.addRfq(CHANNEL, { number: 1042, minVolume: 100, maxVolume: 1_000_000 })
  if (texts.title) world.changeRfq(rfqId, { title: texts.title, additionalRequirements: texts.title })
  const offerIds = [1, 2, 3].map(() => world.addResponse(rfqId).id)
  for (const id of offerIds) if (texts.project) world.changeResponse(id, { projectName: texts.project })
  await fixture.pollListings()
  await fixture.pollRfqs()
  await refreshFigures(fixture)
  return Object.assign(fixture, { rfqId, offerIds })
}

const reportOf = ({ store, now, rfqId }: OneRfq) =>
  createViewSource(store, viewConfigOf(testConfig())).compare({ channel: KEY, rfqId, now: now() })

describe('every page', () => {
  it('shows hostile text as text, on the page and in its files', async () => {
    const fixture = await oneRfq({ title: HOSTILE, project: FORMULA })
    const { app } = await openPages(fixture)
    await fixture.closeExpired()
    const rfq = '/rfqs/acme/forest/1042'
    const offer = `${rfq}?offer=${fixture.offerIds[0]}`
    for (const url of [...APPLICATION_PAGES, rfq, offer, `${rfq}/closing`]) {
      const page = await app.inject(url)
      expect([url, page.statusCode]).toEqual([url, 200])
      expect(page.body).not.toMatch(/<script>|<img/)
      for (const character of HIDDEN) expect(page.body).not.toContain(character)
      expect(page.headers['content-security-policy']).not.toContain('unsafe')
      expect(page.body).not.toMatch(/<[^>]+ style=|<[^>]+ on\w+=/)
    }
    expect((await app.inject('/rfqs')).body).toContain('&lt;script>alert(1)')
    const csv = await app.inject('/rfqs/acme/forest/1042?format=csv')
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(csv.body).not.toMatch(/(^|,)"?=HYPERLINK/m)
    const list = (await app.inject('/rfqs?format=csv')).body
    expect(list).toContain('\uFFFDgnp.exe pay\uFFFDpal \uFFFD[2J')
    for (const character of HIDDEN) expect(list).not.toContain(character)
  })

  it('answers an address that makes no sense with what to do', async () => {
    const { app } = await openPages(await oneRfq())
    const answers: [url: string, status: number, error: RegExp][] = [
      ['/rfqs/acme/forest/7', 404, /^no RFQ matches "7" in acme\/forest; /],
      ['/rfqs/acme/forest/1042?as_of=2026-11-20', 400, /^as_of: nothing is known about .*: the first poll of RFQs in/],
      ['/rfqs/acme/forest/1042?offer=9', 404, /^RFQ 1042 of acme\/forest has no offer 9$/],
      ['/rfqs/acme/forest/1042?without=1,9', 400, /^without: the RFQ has no offer 9; its offers are 1 to 3$/],
      ['/closings?chanel=acme/forest', 400, /^chanel: unknown parameter; did you mean channel\? known: channel, rfq,/],
      ['/closings?format=csv&table=x', 404, /^this page has no table "x"; its tables: closings$/],
    ]
    for (const [url, status, error] of answers) {
      const { statusCode, body } = await app.inject(url)
      expect([url, statusCode, JSON.parse(body).error]).toEqual([url, status, expect.stringMatching(error)])
    }
    const page = await app.inject({ url: '/rfqs/acme/forest/7', headers: { accept: 'text/html' } })
    expect(page.body).toContain('No RFQ matches &quot;7&quot; in acme/forest; ')
  })
})

describe('the page of a list', () => {
  it('filters, sorts and goes on with the next page; its files have all rows that match', async () => {
    const fixture = await openChannelFixture({ rfqs: 3, responsesPerRfq: 1 })
    for (let number = 1; number <= 101; number++)
      fixture.sandbox.world.addRfq(CHANNEL, { number: 5000 + number, title: `Batch ${number}` })
    await fixture.pollRfqs()
    await refreshFigures(fixture)
    const { app } = await openPages(fixture)
    const all = Array.from({ length: 101 }, (_, at) => 5101 - at)
    const shown: number[] = []
    let next: string | null = '/rfqs?q=batch&sort=-number'
    for (let pages = 0; next !== null; pages++) {
      const { body }: { body: string } = await app.inject(next)
      shown.push(...[...body.matchAll(/data-label="RFQ"><a[^>]*>(\d+)</g)].map(([, number]) => Number(number)))
      expect(body).toContain('aria-sort="descending"')
      expect(body.includes('>First page<')).toBe(pages > 0)
      next = /<a href="([^"]+)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? null
    }
    expect(shown).toEqual(all)
    const file = await app.inject('/rfqs?q=batch&sort=-number&format=json')
    expect(file.json().map(({ number }: { number: number }) => number)).toEqual(all)
    const nothing = (await app.inject('/rfqs?state=closed&q=batch')).body
    expect(nothing).toContain('Nothing matches. <a href="/rfqs">Show all</a>')
  })
})

it('an offer is opened by its number or id, with its lines in files', async () => {
  const fixture = await oneRfq()
  const { app } = await openPages(fixture)
  const url = '/rfqs/acme/forest/1042'
  expect((await app.inject(url)).body).toContain(`href="${url}?offer=1#offer"`)
  const offer = (await reportOf(fixture)).offers.find(({ sequence }) => sequence === 2)
  for (const name of ['2', offer?.id]) {
    expect((await app.inject(`${url}?offer=${name}`)).body).toContain('id="offer"')
    const lines = (await app.inject(`${url}?offer=${name}&format=json&table=deliveries`)).json()
    expect(lines.map((line: { total: number }) => line.total)).toEqual(offer?.lines.map(({ total }) => total))
  }
})

/** The texts of a workbook, one a line. */
const textsOf = async (workbook: Buffer) =>
  (await sheetsOf(workbook)).flatMap((sheet) => sheet.getSheetValues().flat()).join('\n')

describe('/reports', () => {
  it('makes the report that the page shows by a job of the queue, waits for it, and offers it, with who asked', async () => {
    const fixture = await oneRfq()
    const { app } = await openPages(fixture, { localUser: 'ana' })
    const page = (await app.inject('/rfqs/acme/forest/1042')).body
    expect((await app.inject('/rfqs/acme/forest/1042?awardTolerance=0')).body).not.toContain('Make workbook')
    const [, form = ''] = /<form method="post" action="\/reports">(.*?)<\/form>/.exec(page) ?? []
    const fields = [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ])
    const post = (changes: Record<string, string>) =>
      sendForm(app, '/reports', { ...Object.fromEntries(fields), ...changes }, { accept: '*/*' })
    const made: { href: string; texts: string }[] = []
    for (const changes of [{}, { rfq: '' }] as Record<string, string>[]) {
      const answer = await post(changes)
      expect(answer.statusCode).toBe(303)
      const job = String(answer.headers.location)
      await expect.poll(async () => (await app.inject(job)).body, { interval: 20 }).toContain('>Download<')
      const [, href = ''] = /href="(\/reports\/acme_forest\/[^"]+)">Download/.exec((await app.inject(job)).body) ?? []
      const file = await app.inject(href)
      expect(file.headers['content-disposition']).toMatch(/^attachment; filename="/)
      made.push({ href, texts: await textsOf(file.rawPayload) })
    }
    const [ofRfq, ofChannel] = made
    expect(ofRfq?.href).toMatch(/rfq-1042[^/]*\.xlsx$/)
    expect(ofRfq?.texts).toContain((await reportOf(fixture)).decision.recommendation.headline)
    for (const each of [ofRfq, ofChannel]) expect(each?.texts).toMatch(/, for ana\. /)
    expect((await app.inject('/reports')).body).toContain(ofRfq?.href)
    const { items } = await fixture.store.events({ after: 0, kinds: ['report.made'], limit: 10 })
    expect(items.map(({ rfqId, data }) => [rfqId, data.report?.by])).toEqual([
      [fixture.rfqId, 'ana'],
      [null, 'ana'],
    ])

    expect((await post({ rfq: '7' })).statusCode).toBe(404)
    const early = await post({ as_of: '2020-01-01' })
    expect([early.statusCode, early.body]).toEqual([400, expect.stringContaining('the first poll of RFQs in')])
    expect((await post({ channel: 'acme/other' })).statusCode).toBe(404)
    for (const path of ['x.xlsx', '..%2fsecret.xlsx', '%2e%2e/x.xlsx'])
      expect([path, (await app.inject(`/reports/${path}`)).statusCode]).toEqual([path, 404])
  })
})
