import type { Value } from './values.js'

/** What one kind of element holds. */
export interface Kind {
  /** Its children in their order, as a regular expression over names: `a b? (c | d)* other:e`. */
  children: string
  /** Its attributes; those it must have end with `!`. */
  attributes: Readonly<Record<string, Value>>
  /** Its text, where it has any. */
  text?: Value
  /** Its children may stand in any order, each as often as told. */
  anyOrder?: true
}

/**
 * The kinds of elements of one namespace by name. Where an element means different things in different places, the
 * child's name says which: `tx=SeriesText` is an element `tx` of the kind `SeriesText`. A prefix leads to another
 * namespace (namespaces.ts).
 */
export type Kinds = Readonly<Record<string, Kind>>

export const holds = (children: string, attributes: Kind['attributes'] = {}): Kind => ({ children, attributes })
export const empty = (attributes: Kind['attributes'] = {}): Kind => ({ children: '', attributes })
export const says = (text: Value, attributes: Kind['attributes'] = {}): Kind => ({ children: '', attributes, text })
/** An element whose value stands in its attribute `val`. */
export const val = (value: Value): Kind => empty({ 'val!': value })
/** The same where the schema has a value for an absent `val`. */
export const optional = (value: Value): Kind => empty({ val: value })
