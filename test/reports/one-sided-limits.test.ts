import { expect, it } from 'vitest'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparisonInput } from '../helpers/data/comparison-inputs.js'

type Limits = Record<string, unknown>
const cases: [limits: Limits, vintages: string, price: string, volume: string][] = [
  [
    {
      ...{ minVintageYear: 'Any', maxVintageYear: 2028, minVolume: null, maxVolume: 50_000 },
      pricing: { minUnitPrice: null, maxUnitPrice: 20, currency: 'USD' },
    },
    'vintages up to 2028',
    'up to 20.00 USD/t',
    'up to 50,000 t',
  ],
  [
    {
      ...{ minVintageYear: 2021, maxVintageYear: 'Any', minVolume: 10_000, maxVolume: null },
      pricing: { minUnitPrice: 5, maxUnitPrice: null, currency: 'USD' },
    },
    'vintages from 2021',
    'from 5.00 USD/t',
    'from 10,000 t',
  ],
  [
    {
      ...{ minVintageYear: 2021, maxVintageYear: 2021, minVolume: 10_000, maxVolume: 10_000 },
      pricing: { minUnitPrice: 5, maxUnitPrice: 20, currency: 'USD' },
    },
    'vintages 2021',
    '5.00–20.00 USD/t',
    '10,000 t',
  ],
  [
    {
      ...{ minVintageYear: 'Any', maxVintageYear: 'Any', minVolume: null, maxVolume: null },
      pricing: { minUnitPrice: null, maxUnitPrice: null, currency: 'USD' },
    },
    'vintages any',
    'no price limit',
    'no volume stated',
  ],
]

it.each(cases)('the workbook says which limits the RFQ states: %j', (rfq, vintages, price, volume) => {
  const report = compareOffers(comparisonInput({ rfq }))
  const [summary] = rfqSheets(report).map((make) => make())
  const cells = [...(summary?.rows() ?? [])].flatMap((row) => row.cells.map((cell) => (cell ? cellText(cell) : '')))
  const request = cells.find((text) => text.startsWith('Request:'))
  const stated = [vintages, price, volume].filter((text) => !['vintages any', 'no price limit'].includes(text))
  for (const text of stated) expect(request).toContain(` · ${text}`)
  if (vintages === 'vintages any') expect(request).not.toMatch(/vintages|USD/)
})
