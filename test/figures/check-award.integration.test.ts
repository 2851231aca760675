import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { offerTerms, openAwardedRfq } from '../helpers/store/awarded-rfq.js'

type Change = Parameters<Awaited<ReturnType<typeof openAwardedRfq>>['change']>[1]

describe('an award that is checked', () => {
  it.each<[string, Change, RegExp]>([
    ['was rejected', { status: 'rejected' }, /was rejected/],
    ['is in a currency without a rate', { offer: { ...offerTerms(9), currency: 'EUR' } }, /priced in EUR/],
  ])('is refused if an offer %s, whatever the reason', async (_name, changes, message) => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.cheap, changes)
    await expect(rfq.award([rfq.cheap], 'a person wants it')).rejects.toThrow(message)
    expect(await rfq.store.awards({})).toEqual([])
  })

  it('is refused if an offer disappeared, is named twice, or is of another RFQ', async () => {
    const rfq = await openAwardedRfq()
    await expect(rfq.award([rfq.cheap, '1', '2'])).rejects.toThrow(/named twice/)
    await expect(rfq.award(['of another RFQ'], 'why not')).rejects.toThrow(/no offer of another RFQ/)
    rfq.sandbox.world.removeResponse(rfq.cheap)
    rfq.advanceSeconds(60)
    await rfq.pollRfqs()
    await expect(rfq.award([rfq.cheap], 'a person wants it')).rejects.toThrow(/missing from the RFQ since/)
    expect(await rfq.store.awards({})).toEqual([])
  })

  it('may be of an offer that is accepted already, and is then the recommended one', async () => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.cheap, { status: 'accepted' })
    await rfq.award([rfq.cheap])
    expect(await rfq.store.awards({})).toMatchObject([
      { followed: true, warnings: [], offers: [{ status: 'accepted' }] },
    ])
  })

  it('is measured by the configured settings: with others it needs a reason, and is not the recommended one', async () => {
    const rfq = await openAwardedRfq()
    const settings = { ...DEFAULT_SETTINGS, awardTolerance: 'unlimited' as const, volume: 4_000 }
    await expect(rfq.award([rfq.cheap, rfq.other], undefined, { settings })).rejects.toThrow(
      /Say why.*awardTolerance: 0\.02 → unlimited/,
    )
    await rfq.award([rfq.cheap, rfq.other], 'more tonnes are needed', { settings })
    const [award] = await rfq.store.awards({})
    expect(award).toMatchObject({ followed: false, recommendation: { offers: [{ id: rfq.cheap }] } })
    expect(award?.warnings.join(' ')).toMatch(
      /volume: none → 4000.*recommended award by the configured settings costs 0\.50 USD\/t less .* 20,000 USD less in/,
    )
  })

  it('is not the recommended one either if its own settings recommend another, by whose costs it is measured, too', async () => {
    const rfq = await openAwardedRfq()
    const settings = { ...DEFAULT_SETTINGS, priceBasis: 'present-value' as const }
    await rfq.award([rfq.other], 'asked for', { settings })
    const [warnings] = (await rfq.store.awards({})).map((award) => award.warnings.join(' '))
    expect(warnings).toMatch(
      /award costs in present value .*settings costs 1\.00 USD\/t less \(10 %\) and 2,000 USD less/,
    )
    await rfq.withdraw(1)
    rfq.advanceSeconds(60)
    await rfq.award([rfq.cheap], 'asked for', { settings: { ...DEFAULT_SETTINGS, volume: 4_000 } })
    const [award] = await rfq.store.awards({})
    expect(award).toMatchObject({ id: 3, followed: false, recommendation: { tonnes: 4_000 } })
  })

  it('is refused as of a moment since which an offer changed, and needs a reason if another award is recommended now', async () => {
    const rfq = await openAwardedRfq()
    const asOf = rfq.now()
    await rfq.change(rfq.other, { offer: offerTerms(8) })
    await expect(rfq.award([rfq.other], 'why not', { asOf })).rejects.toThrow(/has other terms now/)
    await expect(rfq.award([rfq.cheap], undefined, { asOf })).rejects.toThrow(
      /at present, it is not the recommended award/,
    )
    await rfq.change(rfq.cheap, { status: 'rejected' })
    await expect(rfq.award([rfq.cheap], 'why not', { asOf })).rejects.toThrow(/was rejected/)
  })

  it('says what was recommended in the comparison that it is based on, not what is now', async () => {
    const rfq = await openAwardedRfq()
    const asOf = rfq.now()
    await rfq.change(rfq.cheap, { offer: offerTerms(11) })
    await rfq.award([rfq.other], 'as discussed', { asOf })
    expect(await rfq.store.awards({})).toMatchObject([
      {
        followed: false,
        recommendation: { offers: [{ id: rfq.cheap }] },
        warnings: [expect.stringMatching(/^The recommended award costs/)],
      },
    ])
  })

  it('needs a reason if there is a loud doubt about it, which is recorded', async () => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.cheap, { offer: { ...offerTerms(9), totalPrice: 1 } })
    for (const ids of [[rfq.cheap], [rfq.cheap, rfq.other]]) {
      await expect(rfq.award(ids)).rejects.toThrow(/Say why.*The stated total is 1 USD/)
    }
    await rfq.award([rfq.cheap], 'the developer confirmed the total')
    expect(await rfq.store.awards({})).toMatchObject([
      { followed: true, warnings: [expect.stringMatching(/^The stated total is 1 USD/)] },
    ])
  })

  it('is refused on a comparison that is older than the withdrawal of the award before, again and again', async () => {
    const rfq = await openAwardedRfq()
    for (let id = 1; id <= 2 * ROUNDS; id += 2) {
      const asOf = rfq.now()
      await rfq.award([rfq.cheap])
      rfq.advanceSeconds(60)
      await rfq.withdraw(id, 'a mistake')
      await expect(rfq.award([rfq.cheap], 'why not', { asOf })).rejects.toThrow(/was withdrawn after that comparison/)
    }
  })

  it('needs a reason outside the window, which is recorded as said against it', async () => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.cheap, { offer: offerTerms(9, { totalVolume: 4_000 }) })
    const both = [rfq.cheap, rfq.other]
    await expect(rfq.award(both)).rejects.toThrow(/Say why/)
    await rfq.award(both, 'both are needed')
    const [award] = await rfq.store.awards({})
    expect(award).toMatchObject({ tonnes: 6_000, total: 56_000, followed: false, because: 'both are needed' })
    expect(award?.warnings).toEqual([
      'The award has 6,000 t, more than the 5,000 t that an award may have.',
      'The award has more than twice the tonnes that are needed.',
      'The recommended award costs 0.33 USD/t less (3.6 %) and 20,000 USD less in total.',
    ])
  })

  it('counts only the tonnes that are left to award beside what is accepted', async () => {
    const rfq = await openAwardedRfq()
    await rfq.change(rfq.other, { status: 'accepted' })
    await rfq.change(rfq.cheap, { offer: offerTerms(9, { totalVolume: 4_000 }) })
    await expect(rfq.award([rfq.cheap])).rejects.toThrow(
      /has 4,000 t, more than the 3,000 t that an award may have beside what is accepted/,
    )
    rfq.sandbox.world.changeRfq(rfq.rfqId, { minVolume: 9_000, maxVolume: 9_000 })
    await rfq.change(rfq.cheap, { offer: offerTerms(9) })
    await expect(rfq.award([rfq.cheap])).rejects.toThrow(/2,000 t, less than the requested 7,000 t beside what/)
  })
})

it('offers are recorded under names without a number, which is recorded beside them', async () => {
  const rfq = await openAwardedRfq()
  const names = { projectDeveloperName: 'Acme', projectName: 'Peat' }
  for (const id of [rfq.cheap, rfq.other]) await rfq.change(id, names)
  await rfq.award([rfq.cheap.toUpperCase()])
  const [award] = await rfq.store.awards({})
  expect(award?.offers).toMatchObject([{ id: rfq.cheap, name: 'Acme · Peat' }])
})
