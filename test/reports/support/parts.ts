import JSZip from 'jszip'

/** Order in which the parts of a worksheet must stand (ECMA-376 part 1, CT_Worksheet). */
export const WORKSHEET_ORDER = [
  'sheetPr',
  'dimension',
  'sheetViews',
  'sheetFormatPr',
  'cols',
  'sheetData',
  'sheetCalcPr',
  'sheetProtection',
  'protectedRanges',
  'scenarios',
  'autoFilter',
  'sortState',
  'dataConsolidate',
  'customSheetViews',
  'mergeCells',
  'phoneticPr',
  'conditionalFormatting',
  'dataValidations',
  'hyperlinks',
  'printOptions',
  'pageMargins',
  'pageSetup',
  'headerFooter',
  'rowBreaks',
  'colBreaks',
  'customProperties',
  'cellWatches',
  'ignoredErrors',
  'smartTags',
  'drawing',
  'legacyDrawing',
  'legacyDrawingHF',
  'picture',
  'oleObjects',
  'controls',
  'webPublishItems',
  'tableParts',
  'extLst',
]
/** CT_Workbook. */
export const WORKBOOK_ORDER = ['fileVersion', 'workbookPr', 'bookViews', 'sheets', 'definedNames', 'calcPr', 'extLst']
/** CT_Stylesheet. */
export const STYLES_ORDER = [
  'numFmts',
  'fonts',
  'fills',
  'borders',
  'cellStyleXfs',
  'cellXfs',
  'cellStyles',
  'dxfs',
  'tableStyles',
  'colors',
  'extLst',
]

/** The parts of a workbook by name. */
export async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await JSZip.loadAsync(bytes)
  const entries = Object.values(zip.files).map(async (entry) => [entry.name, await entry.async('string')] as const)
  return new Map(await Promise.all(entries))
}

/** An element with its attributes and children; text is left out. */
export interface Element {
  name: string
  attributes: Record<string, string>
  children: Element[]
}

const TAG = /<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*"[^"<]*")*)\s*(\/?)>/y
const TEXT = /[^<&]+|&(?:amp|lt|gt|quot|apos|#\d+);/y

/** Reads XML strictly enough to refuse what is not well-formed: stray `<` and `&`, open or crossed elements, twin attributes. */
export function parseXml(xml: string): Element {
  let at = /^(?:<\?xml[^?]*\?>)?\s*/.exec(xml)?.[0].length ?? 0
  const root: Element = { name: '#root', attributes: {}, children: [] }
  const open = [root]
  while (at < xml.length) {
    TAG.lastIndex = at
    const tag = TAG.exec(xml)
    if (tag) at = TAG.lastIndex
    else at = skipText(xml, at, open.length)
    if (tag) place(tag, open)
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error(`open at the end: ${open.at(-1)?.name}`)
  return root.children[0] as Element
}

function skipText(xml: string, at: number, depth: number): number {
  TEXT.lastIndex = at
  const text = TEXT.exec(xml)
  if (!text) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 60)}`)
  if (depth === 1 && text[0].trim() !== '') throw new Error(`text outside the root: ${text[0].slice(0, 40)}`)
  return TEXT.lastIndex
}

function place([, closing, name, attributes, empty]: RegExpExecArray, open: Element[]): void {
  if (closing) {
    const ended = open.pop()
    if (ended?.name !== name) throw new Error(`</${name}> ends <${ended?.name}>`)
    return
  }
  const element: Element = { name: name ?? '', attributes: attributesOf(attributes ?? ''), children: [] }
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

/** Children by name, all with that name, at any depth. */
export function* descendants(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child
    yield* descendants(child, name)
  }
}
