import JSZip from 'jszip'

/** The parts of a workbook by name. */
export async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await JSZip.loadAsync(bytes)
  const files = Object.values(zip.files).filter(({ dir }) => !dir)
  const entries = files.map(async (entry) => [entry.name, await entry.async('string')] as const)
  return new Map(await Promise.all(entries))
}

/** An element with its attributes, children and the text directly in it, both still encoded. */
export interface Element {
  name: string
  attributes: Record<string, string>
  children: Element[]
  text: string
}

const TAG = /<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*"[^"<]*")*)\s*(\/?)>/y
const TEXT = /[^<&]+|&(?:amp|lt|gt|quot|apos|#\d+);/y

/** Parses XML. Rejects stray `<` and `&`, unclosed or overlapping elements and duplicate attributes. */
export function parseXml(xml: string): Element {
  let at = /^(?:<\?xml[^?]*\?>)?\s*/.exec(xml)?.[0].length ?? 0
  const root: Element = { name: '#root', attributes: {}, children: [], text: '' }
  const open = [root]
  while (at < xml.length) {
    TAG.lastIndex = at
    const tag = TAG.exec(xml)
    if (tag) at = TAG.lastIndex
    else at = addText(xml, at, open)
    if (tag) place(tag, open)
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error(`open at the end: ${open.at(-1)?.name}`)
  return root.children[0] as Element
}

function addText(xml: string, at: number, open: Element[]): number {
  TEXT.lastIndex = at
  const text = TEXT.exec(xml)?.[0]
  if (text === undefined) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 60)}`)
  if (open.length === 1 && text.trim() !== '') throw new Error(`text outside the root: ${text.slice(0, 40)}`)
  ;(open.at(-1) as Element).text += text
  return TEXT.lastIndex
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** Decodes entities. */
export const decoded = (text: string): string =>
  text.includes('&') ? text.replaceAll(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? numbered(name)) : text
const numbered = (name: string): string => String.fromCodePoint(Number(name.slice(1)))

function place([, closing, name, attributes, empty]: RegExpExecArray, open: Element[]): void {
  if (closing) {
    const ended = open.pop()
    if (ended?.name !== name) throw new Error(`</${name}> ends <${ended?.name}>`)
    return
  }
  const element: Element = { name: name ?? '', attributes: attributesOf(attributes ?? ''), children: [], text: '' }
  open.at(-1)?.children.push(element)
  if (!empty) open.push(element)
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name, value] of text.matchAll(/([\w:.-]+)\s*=\s*"([^"]*)"/g)) {
    if (name === undefined || name in found) throw new Error(`attribute twice: ${name}`)
    found[name] = value ?? ''
  }
  return found
}

/** All elements with this name, at any depth. */
export function* descendants(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child
    yield* descendants(child, name)
  }
}
