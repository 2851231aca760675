import { rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { stopFileOf } from '../../../src/closing/kill-switch.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { locationsOf } from '../../helpers/store/store-engine.js'
import { channelConfig, testConfig } from '../../helpers/test-config.js'
import { openPages } from '../support/pages-fixture.js'
import { notices } from '../support/send-form.js'

const RFQ = '/rfqs/acme/forest/1042'
const overdue = (days: string, outlook = '') =>
  `The RFQ is overdue: it is still open ${days} after its response due date, 2026-11-20. ${outlook}`
/** Removes the link to the closings. */
const withoutLink = (notice = '') => notice.replace(/ ?<a href=[^>]*>Closings<\/a>$/, '')
const TONE = /<p class="notice (\w*)">The RFQ is overdue/

it('the page of an RFQ that is past due says so once, with what becomes of it', async () => {
  const fixture = await openChannelFixture()
  const { world, faults } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { number: 1042, responseDueDate: '2026-11-20' })
  world.addRfq(CHANNEL, { number: 1043, responseDueDate: '2026-11-20' })
  world.addResponse(id)
  await fixture.pollRfqs()
  fixture.advanceSeconds(2 * 86_400)
  await fixture.pollRfqs()
  const shown = async (options: Parameters<typeof openPages>[1] = {}, query = '') => {
    const { app } = await openPages(fixture, options)
    const { body } = await app.inject(RFQ + query)
    expect(body).toContain(`<a href="/rfqs/acme/forest/id:${id}/closing">Closings</a>`)
    const [notice, ...others] = notices(body)
    expect(others).toEqual([])
    return [TONE.exec(body)?.[1], withoutLink(notice)]
  }
  const withChannel = (options: Parameters<typeof channelConfig>[1]) =>
    shown({ channels: [channelConfig(KEY, options)] })
  expect(await shown()).toEqual(['warn', overdue('3 days', 'The next closing round evaluates it.')])
  const off = 'Closing is off for the channel, so nothing closes it.'
  expect(await withChannel({ autoClose: 'off' })).toEqual(['bad', overdue('3 days', off)])
  const dryRun = 'The channel is set to dry-run, so nothing closes it.'
  expect(await withChannel({ autoClose: 'dry-run' })).toEqual(['bad', overdue('3 days', dryRun)])
  const grace = 'Nothing closes it before its grace of 100 hours has passed.'
  expect(await withChannel({ graceHours: 100 })).toEqual(['warn', overdue('3 days', grace)])
  const past = await shown({}, '?as_of=2026-11-21T12:30:00Z')
  expect(past).toEqual(['bad', overdue('1 day').trim()])
  const stopFile = stopFileOf(locationsOf(fixture.store))
  writeFileSync(stopFile, '')
  const stopped = expect.stringContaining(overdue('3 days', 'Closing is stopped, so nothing is closed: stop file '))
  expect(await shown()).toEqual(['bad', stopped])
  rmSync(stopFile)

  const closing = { ...testConfig().closing, maxPerRun: 1 }
  await fixture.closeExpired({ maxPerRun: 1 })
  const held = expect.stringContaining(overdue('3 days', 'A closing round of 2 RFQs waits for approval until 2026-11-'))
  expect(await shown({ closing })).toEqual(['bad', held])
  faults.add({ rfqId: id, operation: 'closeRfq', times: 1, effect: { kind: 'not-ok' } })
  await fixture.closeExpired()
  const refused = expect.stringContaining(overdue('3 days', 'The marketplace refused to close it: '))
  expect(await shown()).toEqual(['bad', refused])
})

it('the page of an RFQ that is past due says that it is never closed while its document is not valid', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { number: 1042, responseDueDate: '2026-11-20' })
  const invalid = { kind: 'patch', patch: { title: 5 } } as const
  fixture.sandbox.faults.add({ rfqId: id, operation: 'readRfq', times: 99, effect: invalid })
  await fixture.pollRfqs()
  await fixture.closeExpired()
  const { app } = await openPages(fixture)
  const { body } = await app.inject(RFQ)
  const invalidText = 'Its document is not valid, so it is never closed.'
  expect(notices(body).map(withoutLink)).toContain(overdue('1 day', invalidText))
  expect(TONE.exec(body)?.[1]).toBe('bad')
})
