import { describe, expect, it } from 'vitest'
import { KEY } from '../../helpers/channel-fixture.js'
import { openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { executeIn } from '../../helpers/store/store-engine.js'
import { openPages } from '../support/pages-fixture.js'
import { notices, sendForm } from '../support/send-form.js'

const RFQ = '/rfqs/acme/forest/1042'
const tokens = (['viewer', 'operator'] as const).map((role) => ({ name: role, role, token: `token of ${role}` }))
const as = (name: string) => ({ authorization: `Bearer token of ${name}` })

async function openPage() {
  const rfq = await openAwardedRfq()
  const { app } = await openPages(rfq, { tokens })
  const get = async (url: string, user = 'operator') => {
    const { statusCode, body, headers } = await app.inject({ url, headers: { ...as(user), accept: 'text/html' } })
    const [, panel = ''] = /<details class="panel whatif"(.*)$/s.exec(body) ?? []
    return { statusCode, body, headers, panel: panel.slice(0, panel.indexOf('</form></details>')) }
  }
  const send = (fields: Record<string, string>, user = 'operator') =>
    sendForm(app, `${RFQ}/scenarios`, fields, as(user))
  const saved = () => rfq.store.scenarios({ channel: KEY, rfqId: rfq.rfqId })
  return { rfq, app, get, send, saved }
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, '|')
    .replace(/\|[|\s]*/g, '|')
    .replaceAll('&quot;', '"')

describe('what-if of an RFQ on its page', () => {
  it('shows before and after, per tonne, with what differs and which offers move', async () => {
    const { get } = await openPage()
    const { panel } = await get(`${RFQ}?volume=3000`)
    expect(panel).toMatch(/^ open/)
    const text = textOf(panel)
    expect(text).toContain('1 setting changed')
    expect(text).toContain('Tonnes to award, at least: the minimum of the RFQ → 3,000 t')
    expect(text).toContain('Another award: 0.50 USD/t more, 2,000 t more.')
    expect(text).toContain('|Price|9.00 USD/t|9.50 USD/t|')
    expect(text).toContain('|Tonnes|2,000 t|4,000 t|')
    expect(text).toContain('|Total|18,000 USD|38,000 USD|1 offer changes rank or award|')
    expect(text).toMatch(/\d\. [^|]+: rank 2, now awarded/)
    expect((await get(RFQ)).panel).not.toMatch(/^ open|In force/)
  })

  it('keeps settings under a name, compares them, and names the ones that are shown', async () => {
    const { rfq, app, get, send, saved } = await openPage()
    const answer = await send({ volume: '3000', name: '  Both   offers ' })
    expect([answer.statusCode, answer.headers.location]).toEqual([
      303,
      `/rfqs/acme/forest/id:${rfq.rfqId}?volume=3000#what-if`,
    ])
    await send({ awardRule: 'best-score', name: 'Score' })
    expect(await saved()).toMatchObject([
      { name: 'Both offers', by: 'operator', settings: { volume: '3000' }, at: rfq.now().toISOString() },
      { name: 'Score', settings: { awardRule: 'best-score' } },
    ])
    const { panel } = await get(`${RFQ}?volume=3000.0`, 'viewer')
    expect(textOf(panel)).toContain('Scenario: Both offers, by operator, |2026-')
    expect(panel).toContain(`<a href="${RFQ}?awardRule=best-score#what-if">Score</a>`)
    expect(panel).not.toContain('<form method="post"')
    const file = await app.inject({ url: `${RFQ}?format=json&table=scenarios`, headers: as('viewer') })
    expect(file.json()).toMatchObject([
      { name: 'Settings in force', tonnes: 2000, pricePerTonne: 9, by: null },
      { name: 'Both offers', tonnes: 4000, pricePerTonne: 9.5, currency: 'USD', by: 'operator' },
      { name: 'Score', changes: 'Rule: lowest price per tonne → best score' },
    ])
  })

  it('replaces a scenario only if asked to, and says why nothing was saved', async () => {
    const { get, send, saved } = await openPage()
    await send({ volume: '3000', name: 'Both' })
    const refused = await send({ volume: '4000', name: 'BOTH' })
    expect([refused.statusCode, notices(refused.body)[0]]).toEqual([
      409,
      expect.stringMatching(/^Nothing was saved\. The RFQ has a scenario “Both” already, saved by operator on 2026-/),
    ])
    expect(refused.body).toContain('<input type="hidden" name="volume" value="4000"/>')
    expect(refused.body).toContain('name="replace" value="yes"')
    expect(await saved()).toMatchObject([{ settings: { volume: '3000' } }])
    expect((await send({ volume: '4000', name: 'BOTH', replace: 'yes' })).statusCode).toBe(303)
    expect(await saved()).toMatchObject([{ name: 'BOTH', settings: { volume: '4000' } }])
    for (const fields of [
      { volume: '4000' },
      { name: 'none' },
      { volume: 'many', name: 'x' },
      { volume: '4000', name: 'x'.repeat(81) },
    ] as Record<string, string>[])
      expect((await send(fields)).statusCode).toBe(400)
    const { statusCode, headers } = await get(`${RFQ}/scenarios`)
    expect([statusCode, headers.location]).toEqual([303, expect.stringMatching(/#what-if$/)])
  })

  it('is for operators to save and to delete', async () => {
    const { get, send, saved } = await openPage()
    expect((await send({ volume: '3000', name: 'Both' }, 'viewer')).statusCode).toBe(403)
    await send({ volume: '3000', name: 'Both' })
    expect((await send({ delete: 'Both' }, 'viewer')).statusCode).toBe(403)
    expect(await saved()).toHaveLength(1)
    expect((await get(`${RFQ}?volume=3500`)).panel).toContain('Save as scenario')
    expect((await get(`${RFQ}?volume=3500`, 'viewer')).panel).not.toContain('Save as scenario')
    const deleted = await send({ delete: 'both', awardRule: 'best-score' })
    expect(deleted.headers.location).toMatch(/\?awardRule=best-score#what-if$/)
    expect(await saved()).toEqual([])
  })

  it('shows a scenario whose setting no longer exists with the reason', async () => {
    const { rfq, get, send } = await openPage()
    await send({ volume: '3000', name: 'Both' })
    await executeIn(rfq.store, `update scenarios set settings = '{"requirements.colour":"hard"}'`)
    const { statusCode, panel } = await get(RFQ)
    expect([statusCode, textOf(panel)]).toEqual([
      200,
      expect.stringContaining('Cannot be compared: requirements.colour is not a setting.'),
    ])
  })

  it('keeps settings that the form does not show', async () => {
    const { get } = await openPage()
    expect((await get(`${RFQ}?haircuts.spot=0.1`)).panel).toContain(
      '<input type="hidden" name="haircuts.spot" value="0.1"/>',
    )
  })
})
