import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** If tools are missing, tests are skipped; if tools are required, tests fail. */
const required = process.env.CI === 'true' || process.env.QUOTEKEEPER_REQUIRE_TOOLS === '1'

/** Why tests that need LibreOffice are skipped, or null if they run. */
export function whyNoTools(): string | null {
  const works = spawnSync('soffice', ['--version'], { stdio: 'ignore' }).status === 0
  return required || works ? null : 'LibreOffice (soffice) is not installed'
}

const ALWAYS_RECALCULATE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`

/** Converts workbooks, with a profile of LibreOffice that recalculates every formula, and reads the resulting files. */
function convert<T>(workbooks: readonly Buffer[], format: string, read: (file: string) => T): T[] {
  const folder = mkdtempSync(join(tmpdir(), 'workbooks-'))
  try {
    const profile = join(folder, 'profile')
    mkdirSync(join(profile, 'user'), { recursive: true })
    writeFileSync(join(profile, 'user', 'registrymodifications.xcu'), ALWAYS_RECALCULATE)
    const files = workbooks.map((_, at) => join(folder, `${at}.xlsx`))
    for (const [at, bytes] of workbooks.entries()) writeFileSync(files[at] as string, bytes)
    const options = [`-env:UserInstallation=file://${profile}`, '--headless', '--convert-to', format]
    const args = [...options, '--outdir', join(folder, 'out'), ...files]
    execFileSync('soffice', args, { stdio: 'ignore', timeout: 240_000 })
    return files.map((_, at) => read(join(folder, 'out', `${at}.${format.split(':')[0]}`)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Recalculates workbooks. */
export const recalculated = (workbooks: readonly Buffer[]): Buffer[] =>
  convert(workbooks, 'xlsx:Calc MS Excel 2007 XML', (file) => readFileSync(file))

/** Prints workbooks: their text, and the words of the first page with their places, as XML. */
export const printed = (workbooks: readonly Buffer[]): { text: string; firstPage: string }[] =>
  convert(workbooks, 'pdf', (pdf) => {
    const read = (...options: string[]) =>
      execFileSync('pdftotext', [...options, pdf, '-'], { maxBuffer: 1 << 28, encoding: 'utf8' })
    return { text: read('-layout'), firstPage: read('-bbox', '-l', '1') }
  })
