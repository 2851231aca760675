import { describe, expect, it } from 'vitest'
import { documentMembers, fitAnswer, MAX_ANSWER } from '../../src/mcp/answer-size.js'

describe('the size of an answer', () => {
  it('is limited by fewer items on the page, as many as fit', async () => {
    const asked: number[] = []
    const answer = await fitAnswer(100, (limit) => {
      asked.push(limit)
      return { items: Array.from({ length: limit }, () => 'x'.repeat(1_000)) }
    })
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(MAX_ANSWER)
    expect((answer.items as unknown[]).length).toBeGreaterThan(30)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a text', { text: 'x'.repeat(10 * MAX_ANSWER) }],
    ['a list', { items: Array.from({ length: 5_000 }, (_, at) => ({ at })) }],
    ['many members', Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`member ${at}`, at]))],
    ['long names', { names: { ['x'.repeat(MAX_ANSWER)]: 1 } }],
  ])('is limited by cutting %s, and says so', async (_what, content) => {
    const answer = await fitAnswer(1, () => content)
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(MAX_ANSWER)
    expect(answer.shortened).toMatch(/cut/)
  })

  it('leaves out the last digits that computing leaves in numbers, but not those of documents', async () => {
    const answer = await fitAnswer(1, () => ({ price: 0.1 + 0.2, document: { price: 0.1 + 0.2 } }))
    expect(answer).toEqual({ price: 0.3, document: { price: 0.30000000000000004 } })
  })

  it('shows a document as received, and the beginning of the text of one that is long or loses digits', () => {
    expect(documentMembers({ body: { a: 1 }, bodyText: null })).toEqual({ document: { a: 1 } })
    const lossy = '{"a":1.00000000000000000001}'
    expect(documentMembers({ body: { a: 1 }, bodyText: lossy })).toEqual({ documentText: lossy, documentOmitted: 0 })
    expect(documentMembers({ body: 'x'.repeat(20_000), bodyText: null })).toMatchObject({ documentOmitted: 5_002 })
  })
})
