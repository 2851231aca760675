import { toPlainText } from './plain-text.js'

/** Characters of JSON in one answer, about 10,000 tokens: assistants cut or refuse longer ones. */
export const MAX_ANSWER = 40_000

export type Answer = Record<string, unknown>

/**
 * Makes an answer that is not too long: with fewer items on the page if necessary, and with one item, with shorter texts and
 * lists.
 * @param make makes the answer with at most so many items
 */
export async function fitAnswer(limit: number, make: (limit: number) => Promise<Answer> | Answer): Promise<Answer> {
  for (let items = limit; ; ) {
    const answer = toPlainText(await make(items)) as Answer
    const length = lengthOf(answer)
    if (length <= MAX_ANSWER) return answer
    if (items === 1) return shorten(answer)
    items = Math.max(1, Math.min(items - 1, Math.floor((items * MAX_ANSWER * 0.9) / length)))
  }
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length

/** Limits of texts, in characters, and of lists, tried one after the other. */
const LIMITS = [
  { text: 4_000, items: 100 },
  { text: 1_000, items: 20 },
  { text: 1_000, items: 5 },
  { text: 200, items: 5 },
  { text: 50, items: 2 },
  // Timestamps stay whole.
  { text: 30, items: 1 },
]

/** The answer, with shorter texts and lists if it is longer than `max` characters. */
export function shorten(answer: Answer, max = MAX_ANSWER): Answer {
  if (lengthOf(answer) <= max) return answer
  const shortened =
    'Long texts and lists are cut, because the answer would be too long. `quotekeeper export` and the HTTP API have all of it.'
  for (const limits of LIMITS) {
    const cut = { ...(cutTo(answer, limits) as Answer), shortened }
    if (lengthOf(cut) <= max) return cut
  }
  return { shortened }
}

/** Members of an object that are shown: more than any of our own objects and documented ones have. */
const MAX_MEMBERS = 60

function cutTo(value: unknown, limits: { text: number; items: number }): unknown {
  const { text, items } = limits
  if (typeof value === 'string') return value.length > text ? `${value.slice(0, text)}…` : value
  if (Array.isArray(value)) return value.slice(0, items).map((each) => cutTo(each, limits))
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).slice(0, MAX_MEMBERS)
  return Object.fromEntries(members.map(([name, each]) => [name.slice(0, 100), cutTo(each, limits)]))
}
