import { describe, expect, it } from 'vitest'
import { fitAnswer, MAX_ANSWER } from '../../src/mcp/answer-size.js'

describe('the size of an answer', () => {
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
