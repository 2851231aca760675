import { expect, it } from 'vitest'
import { openAwardedRfq } from '../../helpers/store/awarded-rfq.js'
import { openPages } from '../support/pages-fixture.js'

it('/awards › groups awards by what the marketplace shows, and files have all of them', async () => {
  const rfq = await openAwardedRfq()
  const { world } = rfq.sandbox
  const { app } = await openPages(rfq)
  const page = async () => (await app.inject('/awards')).body
  const groups = async () =>
    [...(await page()).matchAll(/<h2>([^<]+) <span class="muted">(\d+)</g)].map(([, ...found]) => found)
  const awards = async () => (await app.inject('/awards?format=json')).json()
  expect(await page()).toContain('No award was recorded yet')
  await rfq.award([rfq.other], 'delivers a year earlier')
  expect(await groups()).toEqual([['Waiting for acceptance', '1']])
  expect(await page()).toMatch(/no<div class="muted small">delivers a year earlier<[\s\S]*accept by 2027-01-31/)
  expect(await awards()).toMatchObject([
    {
      ...{ id: 1, by: 'ana', channel: 'acme/forest', rfq: 1042, tonnes: 2000, pricePerTonne: 10, total: 20_000 },
      ...{ currency: 'USD', followed: false, because: 'delivers a year earlier', state: 'waiting', withdrawnAt: null },
    },
  ])
  rfq.advanceSeconds(60)
  world.changeResponse(rfq.other, { status: 'rejected' })
  await rfq.pollRfqs()
  expect(await groups()).toEqual([['Differs from the marketplace', '1']])
  rfq.advanceSeconds(60)
  await rfq.store.withdrawAward({
    ...{ award: 1, at: rfq.now().toISOString(), by: 'ben', because: 'it was rejected', programVersion: '1' },
  })
  await rfq.award([rfq.cheap])
  world.changeResponse(rfq.cheap, { status: 'accepted' })
  rfq.advanceSeconds(60)
  await rfq.pollRfqs()
  expect(await groups()).toEqual([['Accepted and withdrawn', '2']])
  expect(await page()).toContain('2 awards: 1 is accepted, 1 was withdrawn.')
  expect((await awards()).map(({ id, state }: { id: number; state: string }) => [id, state])).toEqual([
    [3, 'accepted'],
    [1, 'withdrawn'],
  ])
  expect((await app.inject('/awards?channel=acme%2Fforest&page=1')).statusCode).toBe(200)
  expect((await app.inject('/awards?page=2')).statusCode).toBe(400)
  expect((await app.inject('/awards?channel=acme%2Fnone')).statusCode).toBe(400)
})

it('/rfqs › shows what the desk awarded in place of the recommendation', async () => {
  const rfq = await openAwardedRfq()
  const { app } = await openPages(rfq)
  const recommended = async () => (await app.inject('/rfqs?format=json')).json()[0].recommendation
  expect(await recommended()).not.toContain('awarded')
  await rfq.award([rfq.other], 'delivers a year earlier')
  expect(await recommended()).toMatch(/ \(awarded\)$/)
  expect((await app.inject('/rfqs')).body).toContain('<span class="badge good">awarded</span>')
  await rfq.store.withdrawAward({
    award: 1,
    at: rfq.now().toISOString(),
    by: 'ben',
    because: null,
    programVersion: '1',
  })
  expect(await recommended()).not.toContain('awarded')
})
