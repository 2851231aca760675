import { strFromU8, unzipSync } from 'fflate'
import { SaxesParser, type SaxesTagPlain } from 'saxes'

/** The parts of a workbook by name. */
export function partsOf(bytes: Buffer): Map<string, string> {
  const parts = unzipSync(bytes, { filter: ({ name }) => !name.endsWith('/') })
  return new Map(Object.entries(parts).map(([name, part]) => [name, strFromU8(part)]))
}

/** The elements of XML in their order, each with its depth. Rejects XML that is not well-formed. */
export function elementsOf(xml: string): { name: string; depth: number; attributes: Record<string, string> }[] {
  const found: ReturnType<typeof elementsOf> = []
  let depth = 0
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => found.push({ name, depth: depth++, attributes }))
  parser.on('closetag', () => void depth--)
  parser.write(xml).close()
  return found
}
