import { decoded, type Element } from '../parts.js'
import type { Kind } from './kind.js'
import { NAMESPACES } from './namespaces.js'

/** The kind of an element, with the pattern of its children compiled. */
interface Model extends Kind {
  pattern: RegExp
  /** By the name of the child, the full name of its kind. */
  kinds: Map<string, string>
  order: string[]
}

/** The prefixes in scope, and the namespaces that readers may ignore. */
interface Scope {
  namespaces: Readonly<Record<string, string>>
  ignorable: ReadonlySet<string>
}

const PREFIXES = new Map(Object.entries(NAMESPACES).map(([prefix, { uri }]) => [uri, prefix]))
const ROOT: Scope = { namespaces: { xml: String(NAMESPACES.xml?.uri) }, ignorable: new Set() }

/**
 * Checks a part against the description of its format: children and their order, attributes and their values, text.
 * Anything not described is a fault, unless its namespace is unknown to the description and the part marks it as
 * ignorable (`mc:Ignorable`).
 */
export class Schema {
  readonly #models = new Map<string, Model>()

  /**
   * @param expected name of the root, such as `x:worksheet`
   * @returns each fault with the path of its element; none where the part conforms
   */
  faults(root: Element, expected: string): string[] {
    const scope = scopeWithin(root, ROOT)
    const name = fullName(root.name, scope)
    if (name !== expected) return [`the root is ${name}, not ${expected}`]
    const faults: string[] = []
    this.#check({ element: root, name, kind: name, path: name, scope }, faults)
    return faults
  }

  /** The kind of an element by its full name; null where it is not described. */
  model(name: string): Model | null {
    const known = this.#models.get(name)
    if (known) return known
    const [prefix = '', local = ''] = name.split(':')
    const kinds = NAMESPACES[prefix]?.kinds ?? {}
    const kind = Object.hasOwn(kinds, local) ? kinds[local] : undefined
    if (!kind) return null
    const model = modelOf(prefix, kind)
    this.#models.set(name, model)
    return model
  }

  #check({ element, kind, path, scope }: Found, faults: string[]): void {
    const model = this.model(kind)
    if (model === null) return void faults.push(`${path}: not described`)
    for (const fault of attributeFaults(element, model, scope)) faults.push(`${path}: ${fault}`)
    if (!(model.text ?? blank)(decoded(element.text))) faults.push(`${path}: unexpected text ${quoted(element.text)}`)
    const children = childrenOf(element, { model, path, scope })
    if (!matchesModel(children, model))
      faults.push(`${path}: has the children ${listNames(children)}, expected ${model.children || 'nothing'}`)
    for (const child of children) this.#check(child, faults)
  }
}

/** An element in its context. */
interface Found {
  element: Element
  name: string
  kind: string
  path: string
  scope: Scope
}

function childrenOf(element: Element, parent: { model: Model; path: string; scope: Scope }): Found[] {
  const found: Found[] = []
  for (const child of element.children) {
    const scope = scopeWithin(child, parent.scope)
    if (isIgnored(child.name, scope)) continue
    const name = fullName(child.name, scope)
    const kind = parent.model.kinds.get(name) ?? name
    found.push({ element: child, name, kind, path: `${parent.path}/${name}`, scope })
  }
  return found
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 60))
const blank = (text: string): boolean => text.trim() === ''
const listNames = (children: { name: string }[]): string =>
  children.length === 0 ? 'nothing' : [...new Set(children.map(({ name }) => name))].join(' ').slice(0, 400)

function matchesModel(children: { name: string }[], { pattern, order, anyOrder }: Model): boolean {
  const names = children.map(({ name }) => name)
  if (anyOrder) names.sort((one, other) => order.indexOf(one) - order.indexOf(other))
  return pattern.test(names.map((name) => `${name},`).join(''))
}

function modelOf(prefix: string, kind: Kind): Model {
  const kinds = new Map<string, string>()
  const full = (name: string) => (name.includes(':') ? name : `${prefix}:${name}`)
  const source = kind.children.replaceAll(/([\w:]+)(?:=(\w+))?|\s+/g, (_, name?: string, called?: string) => {
    if (name === undefined) return ''
    kinds.set(full(name), called === undefined ? full(name) : `${full(name).split(':')[0]}:${called}`)
    return `(?:${full(name)},)`
  })
  return { ...kind, kinds, order: [...kinds.keys()], pattern: new RegExp(`^(?:${source})$`) }
}

function scopeWithin({ attributes }: Element, outer: Scope): Scope {
  const declared = Object.keys(attributes).filter((name) => name.startsWith('xmlns'))
  const passed = attributes['mc:Ignorable']
  if (declared.length === 0 && passed === undefined) return outer
  const own = declared.map((name) => [name === 'xmlns' ? '' : name.slice(6), attributes[name] as string])
  const namespaces = { ...outer.namespaces, ...Object.fromEntries(own) }
  const ignorable = (passed?.split(' ') ?? []).map((prefix) => namespaces[prefix] ?? `undeclared ${prefix}`)
  return { namespaces, ignorable: new Set([...outer.ignorable, ...ignorable]) }
}

const uriOf = (name: string, { namespaces }: Scope): string | undefined =>
  namespaces[name.slice(0, Math.max(0, name.indexOf(':')))]

function isIgnored(name: string, scope: Scope): boolean {
  const uri = uriOf(name, scope)
  return uri !== undefined && scope.ignorable.has(uri) && !PREFIXES.has(uri)
}

function fullName(name: string, scope: Scope): string {
  const uri = uriOf(name, scope)
  return `${PREFIXES.get(uri ?? '') ?? `{${uri}}`}:${name.slice(name.indexOf(':') + 1)}`
}

function* attributeFaults(element: Element, { attributes }: Kind, scope: Scope): Generator<string> {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name.startsWith('xmlns') || (name.includes(':') && isIgnored(name, scope))) continue
    const full = name.includes(':') ? fullName(name, scope) : name
    seen.add(full)
    if (full === 'mc:Ignorable') yield* undeclared(value, scope)
    else yield* attributeFault(full, decoded(value), attributes)
  }
  for (const name of Object.keys(attributes)) {
    if (name.endsWith('!') && !seen.has(name.slice(0, -1)))
      yield `the required attribute is missing: ${name.slice(0, -1)}`
  }
}

function* attributeFault(name: string, value: string, known: Kind['attributes']): Generator<string> {
  const allows = known[name] ?? known[`${name}!`]
  if (!allows) yield `has the unknown attribute ${name}`
  else if (!allows(value)) yield `has ${name}=${quoted(value)}`
}

function* undeclared(prefixes: string, { namespaces }: Scope): Generator<string> {
  for (const prefix of prefixes.split(' ')) {
    if (namespaces[prefix] === undefined) yield `mc:Ignorable has the undeclared prefix ${prefix}`
  }
}
