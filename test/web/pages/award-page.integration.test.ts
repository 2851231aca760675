import { describe, expect, it } from 'vitest'
import { openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { notices, openPages, sendForm } from '../support/pages-fixture.js'
import { as, TOKENS } from '../support/web-server.js'

const RFQ = '/rfqs/acme/forest/1042'

async function openPage() {
  const rfq = await openAwardedRfq()
  const { app } = await openPages(rfq, { tokens: TOKENS })
  const get = async (url: string, user = 'omar') => app.inject({ url, headers: { ...as(user), accept: 'text/html' } })
  const send = (fields: Record<string, string>, user = 'omar') => sendForm(app, `${RFQ}/award`, fields, as(user))
  return { rfq, get, send }
}

/** The hidden fields and the button of the page that asks for confirmation. */
function confirmation(body: string): Record<string, string> {
  const inputs = [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]))
  return { ...fields, confirm: 'yes' }
}

describe('award of an RFQ on its page', () => {
  it('is recorded as it was shown, in the name of the signed-in user, and shown first from then on', async () => {
    const { rfq, get, send } = await openPage()
    const form = (await get(`${RFQ}/award`)).body
    const boxes = [...form.matchAll(/<input type="checkbox" name="offer\.(\d)" value="([^"]+)"( checked)?/g)]
    expect(boxes.map(([, , id, checked]) => [id, checked !== undefined])).toEqual([
      [rfq.cheap, true],
      [rfq.other, false],
    ])
    const shown = await send({ 'offer.1': rfq.cheap })
    expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining('This will be recorded')])
    expect(await rfq.store.awards({})).toEqual([])
    const asOf = rfq.now().toISOString()
    rfq.advanceSeconds(60)
    const recorded = await send(confirmation(shown.body))
    expect([recorded.statusCode, recorded.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/rfqs\/acme\/forest\//),
    ])
    expect(await rfq.store.awards({})).toMatchObject([
      { by: 'omar', asOf, at: rfq.now().toISOString(), followed: true },
    ])
    const { body } = await get(RFQ, 'ana')
    expect(body.indexOf('id="award"')).toBeGreaterThan(0)
    expect(body.indexOf('id="award"')).toBeLessThan(body.indexOf('id="recommendation"'))
    expect(body).toMatch(/Accept .* on the marketplace by 2027-01-31/)
    const file = await get('/awards/1/workbook', 'ana')
    expect(file.rawPayload).toEqual(await rfq.store.awardFile(1))
    expect((await get('/awards/2/workbook')).statusCode).toBe(404)
    expect((await rfq.store.verifyDecisions()).brokenAt).toBeNull()
  })

  it('is refused to a viewer, who sees no form', async () => {
    const { rfq, get, send } = await openPage()
    for (const url of [RFQ, `${RFQ}/award`]) {
      const { statusCode, body } = await get(url, 'ana')
      expect([statusCode, /Record an? award/.test(body)]).toEqual([200, false])
    }
    const fields = { 'offer.1': rfq.cheap, as_of: rfq.now().toISOString(), confirm: 'yes' }
    expect((await send(fields, 'ana')).statusCode).toBe(403)
    expect((await send({ withdraw: '1' }, 'ana')).statusCode).toBe(403)
    expect(await rfq.store.awards({})).toEqual([])
  })

  it('needs a reason against the recommendation, and a confirmation that is not out of date', async () => {
    const { rfq, send } = await openPage()
    const chosen = { 'offer.2': rfq.other }
    const refused = await send(chosen)
    expect([refused.statusCode, notices(refused.body)[0]]).toEqual([409, expect.stringContaining('Say why')])
    const because = 'delivers a year earlier'
    const shown = confirmation((await send({ ...chosen, because })).body)
    rfq.advanceSeconds(3601)
    expect((await send(shown)).statusCode).toBe(409)
    expect((await send({ ...chosen, because, confirm: 'yes' })).statusCode).toBe(409)
    expect(await rfq.store.awards({})).toEqual([])
    expect((await send(confirmation((await send({ ...chosen, because })).body))).statusCode).toBe(303)
    expect(await rfq.store.awards({})).toMatchObject([{ because, followed: false }])
  })

  it('is withdrawn once, and listed with the withdrawal', async () => {
    const { rfq, get, send } = await openPage()
    await rfq.award([rfq.cheap])
    expect((await send({ 'offer.1': rfq.cheap })).statusCode).toBe(409)
    expect((await send({ withdraw: '7', because: 'a mistake' })).statusCode).toBe(409)
    expect((await send({ withdraw: '1', because: 'a mistake' })).statusCode).toBe(303)
    expect((await send({ withdraw: '1' })).statusCode).toBe(400)
    expect((await send({ withdraw: '1', because: 'again' })).statusCode).toBe(409)
    expect(await rfq.store.awards({})).toMatchObject([{ withdrawn: { by: 'omar', because: 'a mistake' } }])
    expect((await get(RFQ)).body).not.toContain('id="award"')
    expect((await get(`${RFQ}/award`)).body).toMatch(/>withdrawn<.*>a mistake<.*\/awards\/1\/workbook/)
  })
})
