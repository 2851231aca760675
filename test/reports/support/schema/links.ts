import { decoded, descendants, type Element } from '../parts.js'

export type Trees = ReadonlyMap<string, Element>

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const PACKAGE = 'application/vnd.openxmlformats-package'
const TYPES = '[Content_Types].xml'
const RELATIONS = `${PACKAGE}.relationships+xml`

/** The theme is a constant of exceljs, so that its content is not checked. */
export const THEME = 'a:theme'

/** Root element of a part by its content type. */
const ROOTS: Readonly<Record<string, string>> = {
  [`${OFFICE}.spreadsheetml.sheet.main+xml`]: 'x:workbook',
  [`${OFFICE}.spreadsheetml.worksheet+xml`]: 'x:worksheet',
  [`${OFFICE}.spreadsheetml.styles+xml`]: 'x:styleSheet',
  [`${OFFICE}.spreadsheetml.sharedStrings+xml`]: 'x:sst',
  [`${OFFICE}.theme+xml`]: THEME,
  [`${OFFICE}.extended-properties+xml`]: 'ep:Properties',
  [`${PACKAGE}.core-properties+xml`]: 'cp:coreProperties',
  [RELATIONS]: 'rel:Relationships',
}

/** Root element of the target of a relationship, by the last part of its type; hyperlinks are external. */
const TARGETS: Readonly<Record<string, string>> = {
  officeDocument: 'x:workbook',
  worksheet: 'x:worksheet',
  styles: 'x:styleSheet',
  sharedStrings: 'x:sst',
  theme: THEME,
  'extended-properties': 'ep:Properties',
  'core-properties': 'cp:coreProperties',
}
/** The attribute that refers to a relationship of each type. */
const POINTERS: Readonly<Record<string, string>> = { sheet: 'worksheet', hyperlink: 'hyperlink' }

/** The expected root of every part, from its content type, and faults in the content types. */
export function partRoots(trees: Trees): { roots: Map<string, string>; faults: string[] } {
  const faults: string[] = []
  const types = trees.get(TYPES)?.children ?? []
  const overrides = byName(types, 'Override', 'PartName', faults)
  const defaults = byName(types, 'Default', 'Extension', faults)
  for (const name of overrides.keys())
    if (!trees.has(name.slice(1))) faults.push(`${TYPES} names ${name}, which does not exist`)
  const roots = new Map([[TYPES, 'ct:Types']])
  for (const part of trees.keys()) {
    if (part === TYPES) continue
    const type = overrides.get(`/${part}`) ?? defaults.get(part.split('.').at(-1) ?? '') ?? 'none'
    const root = ROOTS[type]
    if (root === undefined) faults.push(`${part} has the content type ${type}`)
    else roots.set(part, root)
  }
  return { roots, faults }
}

function byName(types: readonly Element[], kind: string, key: string, faults: string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, attributes } of types) {
    if (name !== kind) continue
    const of = attributes[key] ?? ''
    if (found.has(of)) faults.push(`${TYPES} names ${of} twice`)
    found.set(of, attributes.ContentType ?? '')
  }
  return found
}

interface Relation {
  type: string
  target: string
  outside: boolean
}

/** Checks relationships: missing or wrong targets, references without a relationship, parts that nothing refers to. */
export function linkFaults(trees: Trees, roots: ReadonlyMap<string, string>): string[] {
  const faults: string[] = []
  const reached = new Set([TYPES])
  for (const part of ['', ...trees.keys()]) {
    const relations = relationsOf(part, trees, faults)
    if (relations.size > 0) reached.add(relationsPart(part))
    for (const [id, relation] of relations) faults.push(...relationFaults(`${part} ${id}`, relation, roots, reached))
    if (part !== '') faults.push(...pointerFaults(part, trees.get(part) as Element, relations))
  }
  for (const part of trees.keys()) if (!reached.has(part)) faults.push(`no relationship refers to ${part}`)
  return faults
}

const relationsPart = (part: string): string => part.replace(/([^/]*)$/, '_rels/$1.rels')

/** The relationships of a part, or of the package for ''. */
export function relationsOf(part: string, trees: Trees, faults: string[] = []): Map<string, Relation> {
  const found = new Map<string, Relation>()
  for (const { attributes } of trees.get(relationsPart(part))?.children ?? []) {
    const { Id = '', Type = '', Target = '', TargetMode } = attributes
    if (found.has(Id)) faults.push(`${part} has ${Id} twice`)
    const outside = TargetMode === 'External'
    const target = outside ? decoded(Target) : new URL(Target, `http://package/${part}`).pathname.slice(1)
    found.set(Id, { type: Type.split('/').at(-1) ?? '', target, outside })
  }
  return found
}

function* relationFaults(
  where: string,
  { type, target, outside }: Relation,
  roots: ReadonlyMap<string, string>,
  reached: Set<string>,
): Generator<string> {
  if (outside) {
    if (type !== 'hyperlink') yield `${where}: a ${type} outside the package`
    if (target.length > 2_079) yield `${where}: longer than Excel allows`
    return
  }
  reached.add(target)
  if (!Object.hasOwn(TARGETS, type)) yield `${where}: a ${type} within the package`
  else if (roots.get(target) !== TARGETS[type]) yield `${where}: ${target} is not a ${type}`
}

function* pointerFaults(part: string, root: Element, relations: ReadonlyMap<string, Relation>): Generator<string> {
  const used = new Set<string>()
  for (const { name, attributes } of everything(root)) {
    const id = attributes['r:id']
    if (id === undefined) continue
    used.add(id)
    const type = relations.get(id)?.type
    if (type === undefined || type !== POINTERS[name])
      yield `${part}: ${name} points to ${id}, which is ${type ?? 'absent'}`
  }
  for (const [id, { type }] of relations) {
    if (Object.values(POINTERS).includes(type) && !used.has(id)) yield `${part}: ${id} is not used`
  }
}

function* everything(element: Element): Generator<Element> {
  yield element
  for (const child of element.children) yield* everything(child)
}

/** The parts with a root, by name. */
export const partsWith = (root: string, roots: ReadonlyMap<string, string>): string[] =>
  [...roots].filter(([, name]) => name === root).map(([part]) => part)

/** First element of a name, at any depth. */
export const first = (root: Element | undefined, name: string): Element | undefined =>
  root && descendants(root, name).next().value
