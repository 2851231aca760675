import { describe, expect, it } from 'vitest'
import { contradictionOf } from '../../../src/core/documents/list-contradiction.js'

const RFQ = { id: 'a', state: 'open', responseDueDate: '2026-03-01' }
const contradiction = (entries: unknown[], rfq: object = {}) =>
  contradictionOf({ body: entries.length === 1 ? entries[0] : entries }, { ...RFQ, ...rfq })

describe('a contradiction of an open RFQ by its list entry', () => {
  it('is none where the list agrees or says nothing', () => {
    expect(contradiction([{ state: 'open', responseDueDate: '2026-03-01' }])).toBeNull()
    expect(contradiction([{ state: null }])).toBeNull()
    for (const entry of [null, 'text', 7]) expect(contradiction([entry])).toBeNull()
  })

  it.each<[string, unknown[], string]>([
    ['another due date', [{ state: 'open', responseDueDate: '2026-05-01' }], '"due 2026-05-01"'],
    ['both', [{ state: 'closed', responseDueDate: '2026-05-01' }], '"closed" and "due 2026-05-01"'],
    ['a long text, of which only a part is shown', [{ state: 'x'.repeat(200) }], JSON.stringify('x'.repeat(80))],
    ['another value in a second entry', [{ state: 'open' }, { state: 'closed' }], '"closed"'],
    [
      'a value that is no text',
      [{ state: 7, responseDueDate: [] }],
      'a value that is no text and due a value that is no text',
    ],
  ])('is %s', (_what, entries, text) => {
    expect(contradiction(entries)).toBe(text)
  })

  it('is several entries, even if each agrees', () => {
    expect(contradiction([RFQ, { ...RFQ, title: 'another' }])).toBe('')
  })

  it('concerns open RFQs only', () => {
    expect(contradiction([{ state: 'open' }], { state: 'closed' })).toBeNull()
    expect(contradiction([{ state: 'closed' }], { state: undefined })).toBeNull()
    expect(contradiction([RFQ, RFQ], { state: 'closed' })).toBeNull()
  })
})
