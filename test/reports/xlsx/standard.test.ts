import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { rfqWorkbook } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/domain/comparison/report/compare-offers.js'
import { partsOf } from '../support/parts.js'
import { type crowdedInput, RFQ_CASES } from '../support/rfq-cases.js'
import { alterations, xmlOf } from '../support/schema/alterations.js'
import { PYTHON } from '../support/tools.js'

/** Folder with the .xsd files of ECMA-376, which are not ours to hand out; without them nothing is compared. */
const folder = process.env.QUOTEKEEPER_SCHEMAS
const VALIDATOR = fileURLToPath(new URL('../support/validate_parts.py', import.meta.url))
/** The schemas of the core properties lean on ones of Dublin Core that are not among the standard's. */
const WITHOUT = 'docProps/core.xml'
const BATCH = 2_000

/** What the standard's schemas say against parts; '' where they are content. */
function verdicts(parts: readonly string[]): string[] {
  const lines = parts.map((xml) => xml.replaceAll(/<\?xml[^?]*\?>|[\r\n]+/g, ' ').trim())
  const input = `${lines.join('\n')}\n`
  return execFileSync(PYTHON, [VALIDATOR, folder ?? ''], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
    .slice(0, -1)
    .split('\n')
}

const why = folder === undefined ? ' (QUOTEKEEPER_SCHEMAS names no folder)' : ''
describe.skipIf(folder === undefined)(`the description of the format${why}`, () => {
  let parts: Map<string, string>
  beforeAll(async () => {
    parts = await partsOf(await rfqWorkbook(compareOffers((RFQ_CASES.mixed as typeof crowdedInput)())))
    parts.delete(WITHOUT)
  })

  it('is of a workbook the standard accepts', () => {
    expect(verdicts([...parts.values()]).filter((verdict) => verdict !== '')).toEqual([])
  })

  it('refuses whatever the standard refuses', { timeout: 600_000 }, () => {
    const accepted: string[] = []
    let [waiting, refused]: [{ xml: string; what: string }[], number] = [[], 0]
    const compare = () => {
      for (const [index, verdict] of verdicts(waiting.map(({ xml }) => xml)).entries()) {
        if (verdict !== '' && waiting[index]?.what) accepted.push(`${waiting[index].what}: ${verdict}`)
        if (verdict !== '') refused++
      }
      waiting = []
    }
    for (const { root, name, what, schema } of alterations(parts)) {
      waiting.push({ xml: xmlOf(root), what: schema.faults(root, name).length === 0 ? what : '' })
      if (waiting.length === BATCH) compare()
    }
    compare()
    console.log(`${refused} alterations refused by the standard, ${accepted.length} of them accepted here`)
    // An identifier given twice is seen where the links between parts are followed.
    expect(accepted.filter((fault) => !fault.includes("'xs:ID'"))).toEqual([])
    expect(refused).toBeGreaterThan(10_000)
  })
})
