import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { partsOf } from '../support/parts.js'
import { type crowdedInput, RFQ_CASES } from '../support/rfq-cases.js'
import { alterations, xmlOf } from '../support/schema/alterations.js'
import { PYTHON } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

/** Folder with the .xsd files of ECMA-376, which are not part of this repository; without it the test is skipped. */
const folder = process.env.QUOTEKEEPER_SCHEMAS
const VALIDATOR = fileURLToPath(new URL('../support/validate_parts.py', import.meta.url))
/** The schema of the core properties imports Dublin Core schemas that the standard does not include. */
const NOT_VALIDATED = 'docProps/core.xml'
const BATCH = 2_000

/** Validates parts with the schemas of the standard; '' for each valid part. */
function validateParts(parts: readonly string[]): string[] {
  const lines = parts.map((xml) => xml.replaceAll(/<\?xml[^?]*\?>|[\r\n]+/g, ' ').trim())
  const input = `${lines.join('\n')}\n`
  return execFileSync(PYTHON, [VALIDATOR, folder ?? ''], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
    .slice(0, -1)
    .split('\n')
}

const skipReason = folder === undefined ? ' (QUOTEKEEPER_SCHEMAS is not set)' : ''
describe.skipIf(folder === undefined)(`the description of ECMA-376 in schema/${skipReason}`, () => {
  let parts: Map<string, string>
  beforeAll(async () => {
    parts = await partsOf(await rfqWorkbook(compareOffers((RFQ_CASES.mixed as typeof crowdedInput)())))
    parts.delete(NOT_VALIDATED)
  })

  it('describes a workbook that the standard accepts', () => {
    expect(validateParts([...parts.values()]).filter((verdict) => verdict !== '')).toEqual([])
  })

  it('rejects whatever the standard rejects', { timeout: 600_000 }, () => {
    const accepted: string[] = []
    let [batch, rejected]: [{ xml: string; what: string }[], number] = [[], 0]
    const compare = () => {
      for (const [index, verdict] of validateParts(batch.map(({ xml }) => xml)).entries()) {
        if (verdict !== '' && batch[index]?.what) accepted.push(`${batch[index].what}: ${verdict}`)
        if (verdict !== '') rejected++
      }
      batch = []
    }
    for (const { root, name, what, schema } of alterations(parts)) {
      batch.push({ xml: xmlOf(root), what: schema.faults(root, name).length === 0 ? what : '' })
      if (batch.length === BATCH) compare()
    }
    compare()
    console.log(`${rejected} alterations rejected by the standard, ${accepted.length} of them accepted here`)
    // Duplicate ids are found by the check of the links between parts.
    expect(accepted.filter((fault) => !fault.includes("'xs:ID'"))).toEqual([])
    expect(rejected).toBeGreaterThan(10_000)
  })
})
