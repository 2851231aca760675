import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runWords } from '../../reports/channel/about.js'
import { channelWorkbook } from '../../reports/channel-workbook.js'
import { writeChannelReport } from '../../reports/formats.js'
import type { ChannelInput, CloseDecision } from '../../src/domain/comparison/input.js'
import { summariseChannel } from '../../src/domain/comparison/overview.js'
import { channelInput, EURO_SETTINGS, manyResponses, response } from '../helpers/comparison.js'
import { HOSTILE, hostileInput } from './support/cases.js'
import { descendants, parseXml, partsOf, WORKSHEET_ORDER } from './support/parts.js'
import { Bench, differences, formulasOf, type ReadWorkbook, readWorkbooks, whyNoTools } from './support/tools.js'

const SHEETS = ['Summary', 'RFQs', 'Offers', 'Closings', 'Listings', 'About']

const decision = (id: number, of: Partial<CloseDecision> = {}): CloseDecision => ({
  id,
  runId: 3,
  rfqId: 'a',
  rfqNumber: 1,
  dueDate: '2026-03-01',
  timeZone: 'UTC',
  decidedAt: '2026-03-02T06:00:00.000Z',
  decision: 'close',
  reason: 'Due on 2026-03-01, which has ended.',
  outcome: 'closed',
  httpStatus: 200,
  message: null,
  versionBefore: 1,
  versionAfter: 2,
  ...of,
})

function busy(): ChannelInput {
  return channelInput(
    [
      { rfq: { id: 'a', number: 1, state: 'closed', responseDueDate: '2026-03-01' } },
      { rfq: { id: 'b', number: 2, title: 'Blue carbon' }, responses: manyResponses(20, 3) },
      { rfq: { id: 'c', number: 3, responseDueDate: '2026-03-10' }, responses: [] },
      {
        rfq: { id: 'd', number: 4, responseDueDate: null, minVolume: null, maxVolume: null },
        responses: [response(1, { offer: null })],
      },
      { rfq: { id: 'e', number: 5, pricing: { currency: 'EUR', maxUnitPrice: 10, minUnitPrice: 1 } } },
    ],
    {
      settings: EURO_SETTINGS,
      decisions: [decision(1), decision(2, { rfqId: 'c', rfqNumber: 3, decision: 'held', outcome: null })],
    },
  )
}
function hostile(): ChannelInput {
  const { rfq, responses, listings } = hostileInput()
  const decisions = HOSTILE.map((words, at) =>
    decision(at, { reason: words, message: words, rfqId: words, dueDate: words }),
  )
  return { ...busy(), rfqs: [{ rfq, responses }], listings, decisions: decisions as CloseDecision[] }
}
const empty = (): ChannelInput => ({ ...channelInput([]), listings: [] })
const inputs = { busy, hostile, empty }
const names = Object.keys(inputs) as (keyof typeof inputs)[]

describe('the workbook of a channel', () => {
  it.each(names)('has its six sheets, well-formed and in order: %s', async (name) => {
    const parts = await partsOf(await channelWorkbook(summariseChannel(inputs[name]())))
    const workbook = parseXml(parts.get('xl/workbook.xml') ?? '')
    expect([...descendants(workbook, 'sheet')].map(({ attributes }) => attributes.name)).toEqual(SHEETS)
    for (const [part, xml] of parts) {
      const root = parseXml(xml)
      if (!part.startsWith('xl/worksheets/sheet')) continue
      const order = root.children.map((child) => WORKSHEET_ORDER.indexOf(child.name))
      expect(order, part).toEqual([...order].sort((a, b) => a - b))
    }
  })

  it('is the same, byte for byte, from the same report, and is written under its own name', async () => {
    const bench = new Bench()
    const one = await writeChannelReport(summariseChannel(busy()), 'xlsx', { directory: bench.folder })
    expect(one.path).toBe(`${bench.folder}/channel-acme-forest_asof-20260316T1200Z.xlsx`)
    expect(bench.read(one.path).equals(await channelWorkbook(summariseChannel(busy())))).toBe(true)
    bench.remove()
  })

  it('tells runs in a row by their ends', () => {
    expect(runWords([1, 2, 3, 7, 9, 10])).toBe('1–3, 7, 9–10')
    expect(runWords([])).toBe('none')
  })
})

const missing = whyNoTools()
describe.skipIf(missing !== null)(
  `the workbook of a channel in other programs${missing ? ` (${missing})` : ''}`,
  () => {
    let bench: Bench
    const written = new Map<string, ReadWorkbook>()
    const computed = new Map<string, ReadWorkbook>()

    beforeAll(async () => {
      bench = new Bench()
      const files: string[] = []
      for (const name of names) {
        files.push(bench.keep(`${name}.xlsx`, await channelWorkbook(summariseChannel(inputs[name]()))))
      }
      const again = readWorkbooks(bench.recalculated(files))
      for (const [index, read] of readWorkbooks(files).entries()) {
        written.set(names[index] as string, read)
        computed.set(names[index] as string, again[index] as ReadWorkbook)
      }
    }, 200_000)
    afterAll(() => bench?.remove())

    it.each(names)('shows the result of every formula as LibreOffice computes it: %s', (name) => {
      expect(differences(written.get(name), computed.get(name))).toEqual([])
    })

    it('counts by formula, and draws what open RFQs want', () => {
      expect(formulasOf(written.get('busy')).length).toBeGreaterThan(60)
      expect(written.get('busy')?.charts.Summary).toBe(1)
      expect(written.get('empty')?.charts.Summary).toBe(0)
    })

    it('makes no link of outside text but over https', () => {
      const outside = written.get('hostile')?.links.filter((target) => !target.startsWith('#'))
      expect(outside).toEqual(['https://fine.example/p?a=1&b=%222%22'])
    })
  },
)
