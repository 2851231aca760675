import type { Element } from '../parts.js'
import { places } from './places.js'
import type { Schema } from './schema.js'

/** A part with one alteration, which is undone when the next one is requested. */
export interface Alteration {
  root: Element
  /** The expected root element. */
  name: string
  what: string
  schema: Schema
}

/** Values of many types; each is invalid for most attributes. */
const VALUES = ['', '-1', '0', '1', '7', 'x', 'true', '1.5', '1e5', '256', '65536', '4294967296', '100000000', 'INF']
  .concat(['A1', 'a b', 'FF00FF', 'FF00FF00', 'none', 'single', 'center', 'b', 'en-GB', '1:1', 'http://a/b'])
  .concat(['{00000000-0000-4000-8000-000000000000}', '2026-01-01T00:00:00Z', '99999999999999'])

/** Alters each kind of element in each part in many ways: attributes, values, text, children. */
export function* alterations(parts: ReadonlyMap<string, string>): Generator<Alteration> {
  for (const { root, name, element, schema } of places(parts)) {
    const whole = { ...element }
    for (const [what, change] of [...changes(whole), ...strangers(root, whole)]) {
      Object.assign(element, whole, change)
      yield { root, name, what: `${element.name}: ${what}`, schema }
    }
    Object.assign(element, whole)
  }
}

type Change = [what: string, change: Partial<Element>]

function* changes({ attributes, children, text }: Element): Generator<Change> {
  yield ['another attribute', { attributes: { ...attributes, another: '1' } }]
  for (const key of Object.keys(attributes).filter((key) => !/^xmlns|^mc:/.test(key))) {
    const { [key]: _, ...others } = attributes
    yield [`no ${key}`, { attributes: others }]
    for (const value of VALUES) yield [`${key} ${value}`, { attributes: { ...attributes, [key]: value } }]
  }
  if (children.length === 0) for (const value of VALUES) yield [`says ${value}`, { text: text + value }]
  yield ['no children', { children: [] }]
  for (const [index, child] of children.entries()) {
    yield [`no ${child.name}`, { children: children.toSpliced(index, 1) }]
    yield [`${child.name} twice`, { children: children.toSpliced(index, 0, child) }]
    yield [`${child.name} first`, { children: [child, ...children.toSpliced(index, 1)] }]
    yield [`${child.name} last`, { children: [...children.toSpliced(index, 1), child] }]
  }
}

/** Elements of the same part, moved to the wrong place. */
function* strangers(root: Element, { children }: Element): Generator<Change> {
  for (const child of root.children) {
    const stranger = { ...child, children: [] }
    yield [`${child.name} before all`, { children: [stranger, ...children] }]
    yield [`${child.name} behind all`, { children: [...children, stranger] }]
  }
}

/** Serializes a tree as XML. */
export const xmlOf = ({ name, attributes, text, children }: Element): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join('')}>${text}${children.map(xmlOf).join('')}</${name}>`
