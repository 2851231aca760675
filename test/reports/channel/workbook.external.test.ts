import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import { writeChannelReport } from '../../../src/report-files/write-report.js'
import { CHANNEL_CASES } from '../support/channel-cases.js'
import { Bench, formulasOf, type ReadWorkbook, readWorkbooks, whyNoTools } from '../support/tools.js'
import { channelWorkbook, sheetsOf } from '../support/workbooks.js'

const SHEETS = ['Summary', 'RFQs', 'Offers', 'Closings', 'Listings', 'About']

const names = Object.keys(CHANNEL_CASES) as (keyof typeof CHANNEL_CASES)[]

describe('the workbook of a channel', () => {
  it.each(names)('has its six sheets: %s', async (name) => {
    const sheets = await sheetsOf(await channelWorkbook(summariseChannel(CHANNEL_CASES[name]())))
    expect(sheets.map((sheet) => sheet.name)).toEqual(SHEETS)
  })

  it('is the same, byte for byte, from the same report, and is written under its own name', async () => {
    const bench = new Bench()
    const one = await writeChannelReport(summariseChannel(CHANNEL_CASES.busy()), { directory: bench.folder })
    expect(one.path).toBe(`${bench.folder}/channel-acme-forest_asof-20260316T1200Z.xlsx`)
    expect(bench.read(one.path).equals(await channelWorkbook(summariseChannel(CHANNEL_CASES.busy())))).toBe(true)
    bench.remove()
  })
})

const missing = whyNoTools()
describe.skipIf(missing !== null)(
  `the workbook of a channel in other programs${missing ? ` (${missing})` : ''}`,
  () => {
    let bench: Bench
    const written = new Map<string, ReadWorkbook>()

    beforeAll(async () => {
      bench = new Bench()
      const files: string[] = []
      for (const name of names) {
        files.push(bench.keep(`${name}.xlsx`, await channelWorkbook(summariseChannel(CHANNEL_CASES[name]()))))
      }
      for (const [index, read] of readWorkbooks(files).entries()) written.set(names[index] as string, read)
    }, 200_000)
    afterAll(() => bench?.remove())

    it.each(names)('opens with all its sheets, whose figures are values: %s', (name) => {
      expect(Object.keys(written.get(name)?.sheets ?? {})).toEqual(SHEETS)
      expect(formulasOf(written.get(name))).toEqual([])
    })

    it('links outside addresses only if they use https', () => {
      const outside = written.get('hostile')?.links.filter((target) => !target.startsWith('#'))
      expect(outside).toEqual(['https://fine.example/p?a=1&b=%222%22'])
    })
  },
)
