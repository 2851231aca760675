import type { Value } from './values.js'

/** The content model of one kind of element. */
export interface Kind {
  /** Its children in order, as a regular expression over names: `a b? (c | d)* other:e`. */
  children: string
  /** Its attributes; required ones end with `!`. */
  attributes: Readonly<Record<string, Value>>
  /** Its text, if it has any. */
  text?: Value
  /** Whether its children may be in any order. */
  anyOrder?: true
}

/**
 * The kinds of elements of one namespace, by name. If an element has several content models, the child's name says which
 * applies: `tx=SeriesText` is an element `tx` of the kind `SeriesText`. A prefix refers to another namespace
 * (namespaces.ts).
 */
export type Kinds = Readonly<Record<string, Kind>>

export const withChildren = (children: string, attributes: Kind['attributes'] = {}): Kind => ({ children, attributes })
export const empty = (attributes: Kind['attributes'] = {}): Kind => ({ children: '', attributes })
export const withText = (text: Value, attributes: Kind['attributes'] = {}): Kind => ({ children: '', attributes, text })
/** An element with its value in the attribute `val`. */
export const val = (value: Value): Kind => empty({ 'val!': value })
/** The same, for elements whose `val` has a default. */
export const optional = (value: Value): Kind => empty({ val: value })
