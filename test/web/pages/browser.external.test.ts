import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ServerOptions } from '../../../src/web/server.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'
import { longIt, runsLongTests } from '../../helpers/long-tests.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { refuseEvent } from '../../helpers/store/refuse-event.js'
import { APPLICATION_PAGES, openPages } from '../support/pages-fixture.js'
import { TOKENS } from '../support/web-server.js'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RFQ = '/rfqs/acme/forest/1042'

const CHROMIUM = '/usr/bin/chromium'
const isMissing = !existsSync(CHROMIUM) && process.env.CI !== 'true'

let browser: Browser
beforeAll(async () => {
  if (!isMissing) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(() => browser?.close())

/** A channel with a story: an RFQ with a cheap late offer and better ones, one closed RFQ, a change. */
async function story(): Promise<ChannelFixture & { offer: string }> {
  const fixture = await openChannelFixture({ rfqs: 4, responsesPerRfq: 2 })
  const { world } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, {
    number: 1042,
    title: 'Mangrove credits <b>2026</b>',
    minVolume: 100,
    maxVolume: 9e6,
  })
  const offers = [1, 2, 3].map(() => world.addResponse(id).id)
  await fixture.pollListings()
  await fixture.pollRfqs()
  fixture.advanceSeconds(3600)
  world.changeResponse(offers[0] ?? '', { offer: { totalPrice: 1000, scheduledDeliveries: [] } })
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  await fixture.closeExpired()
  await refreshFigures(fixture)
  fixture.advanceSeconds(60)
  return Object.assign(fixture, { offer: offers[0] ?? '' })
}

async function serve(fixture: ChannelFixture, options: Partial<ServerOptions> = {}) {
  const { app } = await openPages(fixture, options)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

/** A page that fails the test for anything that the browser blocked or that a script threw. */
async function openBrowser(base: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ baseURL: base, ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.on('pageerror', (error) => expect.fail(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) expect.fail(message.text())
  })
  return page
}

async function violations(page: Page): Promise<string[]> {
  const found = (await page.evaluate(
    `${AXE}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as AxeResults
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** As if the reader had gone to another tab, or came back. */
const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { get: () => ${state === 'hidden'}, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)

describe.skipIf(isMissing)('in Chromium', () => {
  it('every page is accessible, fits 320 to 1500 px, in light and dark', async () => {
    const fixture = await story()
    await refuseEvent(fixture, ['crm', 'mail'])
    const base = await serve(fixture)
    const ofRfq = [RFQ, `${RFQ}?offer=1`, `${RFQ}/closing`, `${RFQ}/award`]
    const page = await openBrowser(base)
    let isDark = false
    for (const url of runsLongTests ? [...APPLICATION_PAGES, '/nothing', ...ofRfq] : ['/', '/rfqs', RFQ]) {
      await page.setViewportSize({ width: 1280, height: 800 })
      isDark = !isDark
      await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
      await page.goto(url)
      if (url === RFQ) await page.locator('details.whatif summary').click()
      expect([url, await violations(page)]).toEqual([url, []])
      for (const width of [1500, 1280, 768, 320]) {
        await page.setViewportSize({ width, height: 800 })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect([url, width, overflow]).toEqual([url, width, 0])
      }
    }
  })

  longIt('works with the keyboard alone', async () => {
    const page = await openBrowser(await serve(await story()))
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
    await page.goto('/rfqs')
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe('Skip to the content')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('1042')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rfqs?q=1042')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    for (let tabs = 0; (await focused()) !== 'Mangrove credits <b>2026</b>'; tabs++) {
      expect(tabs).toBeLessThan(30)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/rfqs\/acme\/forest\//)
  })

  longIt(
    'shows what is polled while the page is open, in two browsers, and says that one that is read has changed',
    async () => {
      const fixture = await story()
      const base = await serve(fixture)
      const pages = await Promise.all([openBrowser(base), openBrowser(base)])
      for (const page of pages) {
        await page.goto('/rfqs')
        expect(await page.getByRole('link', { name: '7777' }).count()).toBe(0)
      }
      const rfq = await openBrowser(base)
      await rfq.goto(RFQ)
      const age = rfq.locator('.facts [data-volatile]')
      expect(await age.textContent()).toBe(' · terms read 60 s ago')
      const changed = rfq.getByText('This page has changed.')
      const poll = async () => {
        fixture.advanceSeconds(60)
        await fixture.pollRfqs()
        await refreshFigures(fixture)
      }
      fixture.advanceSeconds(29 * 60)
      fixture.sandbox.world.addRfq(CHANNEL, { number: 7777, title: 'Brand new' })
      await poll()
      for (const page of pages) await page.getByRole('link', { name: '7777' }).waitFor()
      // Only older: its terms, and the axis of a chart.
      await age.filter({ hasText: 'terms read 0 s ago' }).waitFor()
      expect(await changed.count()).toBe(0)

      const [hidden, shown] = pages as [Page, Page]
      await setVisibility(hidden, 'hidden')
      fixture.sandbox.world.addRfq(CHANNEL, { number: 7778, title: 'Meanwhile' })
      fixture.sandbox.world.changeResponse(fixture.offer, { offer: { totalPrice: 5_000 } })
      await poll()
      await shown.getByRole('link', { name: '7778' }).waitFor()
      await changed.waitFor()
      expect(await hidden.getByRole('link', { name: '7778' }).count()).toBe(0)
      await setVisibility(hidden, 'visible')
      await hidden.getByRole('link', { name: '7778' }).waitFor()
    },
  )

  it('copies the questions to a developer', async () => {
    const page = await openBrowser(await serve(await story()), { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto('/rfqs')
    await page.getByRole('link', { name: '1042' }).first().click()
    await page.waitForURL(/\/rfqs\/acme\/forest\//)
    const headline = (await page.locator('.headline').textContent()) ?? ''
    expect(headline).toMatch(/^Award /)
    await page.getByRole('link', { name: 'Ask developers' }).click()
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^RFQ 1042 .*: questions on your/)
  })

  it('signs in, makes a report from the button, and signs out', async () => {
    const page = await openBrowser(await serve(await story(), { tokens: TOKENS }), { acceptDownloads: true })
    const signIn = async (token: string) => {
      await page.getByLabel('Access token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await page.goto(RFQ)
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    expect(await violations(page)).toEqual([])
    await signIn('a guess')
    expect(await page.getByRole('alert').textContent()).toBe('No user has this token.')
    await signIn('token of omar')
    await page.waitForURL(new RegExp(RFQ))
    await page.goto('/reports')
    await page.getByLabel('RFQ (empty').fill('1042')
    await page.getByRole('button', { name: 'Make the report' }).click()
    const link = page.getByRole('link', { name: 'Download', exact: true })
    await link.waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toMatch(/^rfq-1042_asof-.*\.xlsx$/)
    expect(readFileSync(await download.path(), 'latin1')).toMatch(/^PK/)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto('/rfqs')
    expect(new URL(page.url()).pathname).toBe('/sign-in')
  })
})
