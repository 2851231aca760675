import { expect, it } from 'vitest'
import { channelSheets } from '../../../reports/channel/workbook.js'
import { cellText } from '../../../reports/layout/cell-text.js'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import { channelInput, response } from '../../helpers/data/comparison-inputs.js'

it('the awards of a channel say how many there are if not all are shown', () => {
  const titleOf = (open: number, accepted: number) => {
    const rfqs = Array.from({ length: open + accepted }, (_, index) => ({
      rfq: { id: `rfq-${index}`, number: index, state: index < open ? 'open' : 'closed' },
      responses: index < open ? [] : [response(1, { status: 'accepted' })],
    }))
    const plan = channelSheets(summariseChannel(channelInput(rfqs)))[0]?.()
    const texts = [...(plan?.rows() ?? [])].map(({ cells }) => (cells[0] ? cellText(cells[0]) : ''))
    return texts.find((text) => text.startsWith('Awards'))
  }
  expect(titleOf(15, 15)).toBe('Awards: open RFQs by due date, then accepted offers')
  expect(titleOf(16, 17)).toBe('Awards: open RFQs by due date, 15 of 16, then accepted offers, 15 of 17')
})
