import { type Element, parseXml } from '../parts.js'
import { partRoots, THEME } from './links.js'
import { Schema } from './schema.js'

/** An element in its part, for tests that alter it. */
export interface Place {
  root: Element
  /** The expected root element. */
  name: string
  element: Element
  schema: Schema
}

/** One element of each shape in each part. Repeated elements are removed first, to keep the checks fast. */
export function* places(parts: ReadonlyMap<string, string>): Generator<Place> {
  const trees = new Map([...parts].map(([name, xml]) => [name, parseXml(xml)]))
  const schema = new Schema()
  const seen = new Set<string>()
  for (const [part, name] of partRoots(trees).roots) {
    if (name === THEME) continue
    const root = trees.get(part) as Element
    for (const element of shortened(root)) {
      const shape = `${name} ${shapeOf(element)}`
      if (!seen.has(shape)) yield { root, name, element, schema }
      seen.add(shape)
    }
  }
}

const shapeOf = ({ name, attributes, children }: Element): string =>
  [name, ...Object.keys(attributes), ...new Set(children.map((child) => child.name))].join(' ')

/** The elements of a tree, each with at most two children of a shape. */
function* shortened(element: Element): Generator<Element> {
  const seen = new Map<string, number>()
  element.children = element.children.filter((child) => {
    const count = (seen.get(shapeOf(child)) ?? 0) + 1
    seen.set(shapeOf(child), count)
    return count <= 2
  })
  yield element
  for (const child of element.children) yield* shortened(child)
}
