import JSZip from 'jszip'
import { SaxesParser, type SaxesTagPlain } from 'saxes'

/** The parts of a workbook by name. */
export async function partsOf(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await JSZip.loadAsync(bytes)
  const files = Object.values(zip.files).filter(({ dir }) => !dir)
  const entries = files.map(async (entry) => [entry.name, await entry.async('string')] as const)
  return new Map(await Promise.all(entries))
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
