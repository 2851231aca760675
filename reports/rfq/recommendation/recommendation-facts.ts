import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, stringLiteral } from '../../xlsx/cells.js'
import type { RfqLayout } from '../layout.js'
import { FACT_KEYS, type FactKey } from './recommendation-grids.js'

/** One figure of the recommended award: a row of the first table of the block. */
export interface Fact {
  label: string
  /** The formula, without `=`. */
  expression: string
  /** The stored result of the formula. */
  cached: CachedResult
  look: style.Style
  /** Set if it is an array formula. */
  array?: boolean
}
export type Facts<Key extends FactKey = FactKey> = Record<Key, Fact>

/** A figure, in the style of body text unless stated. */
export const figure = (
  label: string,
  expression: string,
  cached: CachedResult,
  look: style.Style = style.body,
): Fact => ({
  label,
  expression,
  cached,
  look,
})

/** A number or a text as a formula writes it. */
export const literal = (value: number | string): string =>
  typeof value === 'number' ? String(value) : stringLiteral(value)

/** The reference of the cell of a figure. */
export const factCell = ({ recommendation: { facts } }: RfqLayout, key: FactKey) =>
  facts.cell('value', FACT_KEYS.indexOf(key))

/** Whether `Inputs` has this award rule, as a condition in a formula. */
export const isRule = (rule: string) => `AwardRule="${rule}"`

export const BEST_SCORE = isRule('best-score-compliant')
export const REGARDLESS = isRule('cheapest-regardless')
