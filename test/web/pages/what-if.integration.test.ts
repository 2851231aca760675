import { describe, expect, it } from 'vitest'
import { openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { openPages } from '../support/pages-fixture.js'

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
  return { get }
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

  it('keeps settings that the form does not show', async () => {
    const { get } = await openPage()
    expect((await get(`${RFQ}?prepaymentShareLimit=0.1`)).panel).toContain(
      '<input type="hidden" name="prepaymentShareLimit" value="0.1"/>',
    )
  })
})
