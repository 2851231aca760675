import { expect, it } from 'vitest'
import { savingText } from '../../src/web/pages/rfq-page.js'

it.each([
  [1500, 'On the wanted tonnes, the award costs 1,500 USD less.'],
  [-12.5, 'On the wanted tonnes, the award costs 12.5 USD more.'],
  [1e-10, 'On the wanted tonnes, the award costs as much.'],
])('says what a saving of %d means', (saving, words) => {
  const baseline = { title: 'Median offer', pricePerTonne: 10, saving, words: 'Median offer: 10 USD/t.' }
  expect(savingText(baseline, 'USD')).toBe(`Median offer: 10 USD/t. ${words}`)
})

it('says why there is no baseline', () => {
  const baseline = { title: 'Median offer', pricePerTonne: null, saving: null, words: 'No offer is ranked.' }
  expect(savingText(baseline, 'USD')).toBe('No offer is ranked.')
})
