import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A cell as openpyxl reads it: formula, value (dates as serial numbers), type. */
export interface ReadCell {
  f: string | null
  v: string | number | boolean | null
  t: string
}
export interface ReadWorkbook {
  sheets: Record<string, Record<string, ReadCell>>
  links: string[]
}

export const PYTHON = '/usr/bin/python3'
const READER = fileURLToPath(new URL('read_workbook.py', import.meta.url))

/** If tools are missing, tests are skipped; if tools are required, tests fail. */
const required = process.env.CI === 'true' || process.env.QUOTEKEEPER_REQUIRE_TOOLS === '1'
const works = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

function absence(): string | null {
  if (!works(PYTHON, ['-c', 'import openpyxl'])) return `openpyxl is not installed for ${PYTHON}`
  return works('soffice', ['--version']) ? null : 'LibreOffice (soffice) is not installed'
}

/** Why tests that need openpyxl and LibreOffice are skipped, or null if they run. */
export function whyNoTools(): string | null {
  const why = absence()
  return required ? null : why
}

/** Reads workbooks with openpyxl. */
export const readWorkbooks = (files: readonly string[]): ReadWorkbook[] => readWith([], files)
/** Reads the values of workbooks with openpyxl, and neither formulas nor links: that takes a quarter of the time. */
export const readValues = (files: readonly string[]): ReadWorkbook[] => readWith(['--values'], files)

function readWith(options: readonly string[], files: readonly string[]): ReadWorkbook[] {
  const args = ['-W', 'ignore', READER, ...options, ...files]
  const out = execFileSync(PYTHON, args, { maxBuffer: 1 << 30, encoding: 'utf8' })
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ReadWorkbook)
}

const ALWAYS_RECALCULATE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`

const FILES_PER_RUN = 40

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

  /** Converts as many files in one LibreOffice run as it can within the time-out on a busy machine. */
  #convert(files: readonly string[], format: string, out: string): void {
    const user = `-env:UserInstallation=file://${this.#profile}`
    for (let start = 0; start < files.length; start += FILES_PER_RUN) {
      const batch = files.slice(start, start + FILES_PER_RUN)
      execFileSync('soffice', [user, '--headless', '--convert-to', format, '--outdir', out, ...batch], {
        stdio: 'ignore',
        timeout: 240_000,
      })
    }
  }

  read = (file: string): Buffer => readFileSync(file)
  remove = (): void => rmSync(this.folder, { recursive: true, force: true })
}

/** The cells of a workbook that contain a formula. */
export function formulasOf(read: ReadWorkbook | undefined): { sheet: string; address: string; cell: ReadCell }[] {
  return Object.entries(read?.sheets ?? {}).flatMap(([sheet, cells]) =>
    Object.entries(cells).flatMap(([address, cell]) => (cell.f === null ? [] : [{ sheet, address, cell }])),
  )
}

/** Formulas whose stored result differs from the recalculated one: sheet, address, stored, recalculated, formula. */
export function differences(written: ReadWorkbook | undefined, computed: ReadWorkbook | undefined): unknown[][] {
  return formulasOf(written).flatMap(({ sheet, address, cell }) => {
    const found = computed?.sheets[sheet]?.[address]?.v ?? null
    return same(cell.v, found) ? [] : [[sheet, address, cell.v, found, cell.f]]
  })
}

/** Tolerance: LibreOffice adds in a different order. */
function same(one: ReadCell['v'], other: ReadCell['v']): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
  }
  return (one ?? '') === (other ?? '')
}
