import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { awardPath, closingPath, rfqPath } from '../../../src/views/page-paths.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { offerTerms } from '../../helpers/store/awarded-rfq.js'
import { APPLICATION_PAGES } from '../support/application-pages.js'
import { openPages } from '../support/pages-fixture.js'

/** What a page may weigh as it is sent, so that it is there after one request. */
const MAX_BYTES = 60_000
const [RFQS, OFFERS] = [120, 10]
/** 60 words that occur nowhere else, so that they hardly compress. */
const noteOf = (offer: string) =>
  Array.from({ length: 60 }, (_, at) => createHash('sha256').update(`${offer} ${at}`).digest('hex').slice(0, 8)).join(
    ' ',
  )

it('every page of a desk of RFQs with ten offers is below 60 kB as it is sent', async () => {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const terms = { minVolume: 1_000, maxVolume: 9_000 }
  const rfqs = Array.from(
    { length: RFQS },
    (_, at) => world.addRfq(CHANNEL, { ...terms, number: 5000 + at, title: `Batch ${5000 + at}` }).id,
  )
  const offers = rfqs.map((id) =>
    Array.from({ length: OFFERS }, (_, at) => {
      const offer = { ...offerTerms(8 + at), additionalNotesToBuyer: noteOf(`${id} ${at}`) }
      return world.addResponse(id, { projectName: `Project ${at}`, projectDeveloperName: `Developer ${at}`, offer }).id
    }),
  )
  await fixture.pollListings()
  await fixture.pollRfqs()
  const { app } = await openPages(fixture)
  const rfq = rfqPath(KEY, '5000')
  const ofRfq = [
    rfq,
    `${rfq}?awardRule=best-score`,
    `${rfq}?as_of=${fixture.now().toISOString()}`,
    `${rfq}/offers/${offers[0]?.[0]}`,
    awardPath(KEY, '5000'),
    closingPath(KEY, '5000'),
    `/changes?channel=acme/forest&rfq=5000`,
  ]
  const sizes: [url: string, bytes: number][] = []
  for (const url of [...APPLICATION_PAGES, '/rfqs?sort=title&page=2', ...ofRfq]) {
    const { statusCode, rawPayload, headers } = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect([url, statusCode, headers['content-encoding'], headers.vary]).toEqual([url, 200, 'gzip', 'accept-encoding'])
    sizes.push([url, rawPayload.length])
  }
  expect(sizes.filter(([, bytes]) => bytes >= MAX_BYTES)).toEqual([])
})
