import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import ExcelJS from 'exceljs'

interface ReadCell {
  formula: string | undefined
  /** Of a formula, its stored result. */
  value: string | number | boolean | null
}
export interface ReadWorkbook {
  sheets: Record<string, Record<string, ReadCell>>
  links: string[]
}

/** If tools are missing, tests are skipped; if tools are required, tests fail. */
const required = process.env.CI === 'true' || process.env.QUOTEKEEPER_REQUIRE_TOOLS === '1'

/** Why tests that need LibreOffice are skipped, or null if they run. */
export function whyNoTools(): string | null {
  const works = spawnSync('soffice', ['--version'], { stdio: 'ignore' }).status === 0
  return required || works ? null : 'LibreOffice (soffice) is not installed'
}

/** Reads the cells and links of a workbook. */
export async function readWorkbook(file: string): Promise<ReadWorkbook> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(file)
  const found: ReadWorkbook = { sheets: {}, links: [] }
  for (const sheet of workbook.worksheets) {
    const cells: Record<string, ReadCell> = {}
    found.sheets[sheet.name] = cells
    sheet.eachRow((row) =>
      row.eachCell((cell) => {
        if (cell.hyperlink) found.links.push(cell.hyperlink)
        cells[cell.address] = { formula: cell.formula, value: plainValue(cell) }
      }),
    )
  }
  return found
}

function plainValue(cell: ExcelJS.Cell): ReadCell['value'] {
  const value = cell.formula ? cell.result : cell.value
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object') return value
  return 'error' in value ? value.error : cell.text
}

const ALWAYS_RECALCULATE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`

/** A temporary directory with a LibreOffice profile that recalculates every formula when it loads a file. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'workbooks-'))
  readonly #profile = join(this.folder, 'profile')

  constructor() {
    mkdirSync(join(this.#profile, 'user'), { recursive: true })
    writeFileSync(join(this.#profile, 'user', 'registrymodifications.xcu'), ALWAYS_RECALCULATE)
  }

  /** Writes bytes to a file. */
  keep(name: string, bytes: Buffer): string {
    const file = join(this.folder, name)
    writeFileSync(file, bytes)
    return file
  }

  /** Recalculates workbooks. */
  recalculated(files: readonly string[]): string[] {
    const out = join(this.folder, 'recalculated')
    this.#convert(files, 'xlsx:Calc MS Excel 2007 XML', out)
    return files.map((file) => join(out, basename(file)))
  }

  /** Prints workbooks: their text, and the words of the first page with their places, as XML. */
  printed(files: readonly string[]): { text: string; firstPage: string }[] {
    const out = join(this.folder, 'printed')
    this.#convert(files, 'pdf', out)
    return files.map((file) => {
      const pdf = join(out, basename(file).replace(/xlsx$/, 'pdf'))
      const read = (...options: string[]) =>
        execFileSync('pdftotext', [...options, pdf, '-'], { maxBuffer: 1 << 28, encoding: 'utf8' })
      return { text: read('-layout'), firstPage: read('-bbox', '-l', '1') }
    })
  }

  #convert(files: readonly string[], format: string, out: string): void {
    const user = `-env:UserInstallation=file://${this.#profile}`
    const args = [user, '--headless', '--convert-to', format, '--outdir', out, ...files]
    execFileSync('soffice', args, { stdio: 'ignore', timeout: 240_000 })
  }

  remove = (): void => rmSync(this.folder, { recursive: true, force: true })
}

/** The cells of a workbook that contain a formula. */
export function formulasOf(
  read: ReadWorkbook | undefined,
): { sheet: string; address: string; formula: string; value: ReadCell['value'] }[] {
  return Object.entries(read?.sheets ?? {}).flatMap(([sheet, cells]) =>
    Object.entries(cells).flatMap(([address, { formula, value }]) =>
      formula === undefined ? [] : [{ sheet, address, formula, value }],
    ),
  )
}

/** Formulas whose stored result differs from the recalculated one: sheet, address, stored, recalculated, formula. */
export function differences(written: ReadWorkbook | undefined, computed: ReadWorkbook | undefined): unknown[][] {
  return formulasOf(written).flatMap(({ sheet, address, formula, value }) => {
    const found = computed?.sheets[sheet]?.[address]?.value ?? null
    return same(value, found) ? [] : [[sheet, address, value, found, formula]]
  })
}

/** Tolerance: LibreOffice adds in a different order. */
function same(one: ReadCell['value'], other: ReadCell['value']): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
  }
  return (one ?? '') === (other ?? '')
}
