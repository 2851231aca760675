import { describe, expect, it } from 'vitest'
import { fitAnswer, MAX_ANSWER } from '../../src/mcp/answer-size.js'

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
})
