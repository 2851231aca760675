import { type CachedResult, stringLiteral } from '../xlsx/cells.js'

/** A cell, for formulas on any sheet, and its stored result. */
export interface Reference {
  cell: string
  cached: CachedResult
}

/** A text as a formula, and its stored result. */
export type Phrase = readonly [expression: string, cached: string]
/** A condition as a formula, and whether it holds now. */
export type Test = readonly [expression: string, holds: boolean]

/** Joins words and phrases. */
export function say(words: readonly string[], ...phrases: readonly Phrase[]): Phrase {
  const parts = words.flatMap((text, at): Phrase[] => [
    ...(text === '' ? [] : [[stringLiteral(text), text] as const]),
    ...phrases.slice(at, at + 1),
  ])
  return [parts.map(([expression]) => expression).join('&') || '""', parts.map(([, cached]) => cached).join('')]
}
export const NOTHING = say``

/** One phrase if a condition holds, another one if not. */
export const either = ([condition, holds]: Test, yes: Phrase, no: Phrase = NOTHING): Phrase => [
  `IF(${condition},${yes[0]},${no[0]})`,
  holds ? yes[1] : no[1],
]

export const constant = (text: string): Phrase => [stringLiteral(text), text]
export const isNumber = ({ cell, cached }: Reference): Test => [`ISNUMBER(${cell})`, typeof cached === 'number']

/** A list of offers; only their number, in words, if there are more than `max`. */
export const listOrCount = (list: Phrase, [count, now]: readonly [string, number], max: number, words = ' offers') =>
  either([`${count}>${max}`, now > max], say`${[count, `${now}`]}${constant(words)}`, list)
