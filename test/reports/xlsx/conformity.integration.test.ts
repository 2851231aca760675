import { beforeAll, describe, expect, it } from 'vitest'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { labelledCases } from '../../helpers/long-tests.js'
import { CHANNEL_CASES } from '../support/channel-cases.js'
import { KnownParts, workbookFaults } from '../support/conformity.js'
import { partsOf } from '../support/parts.js'
import { crowdedInput, RFQ_CASES } from '../support/rfq-cases.js'
import { channelWorkbook, rfqWorkbook } from '../support/workbooks.js'

const CASES = { ...RFQ_CASES, crowded: crowdedInput }
const QUICK = ['mixed', 'hostile', 'no-offers']

type Parts = Map<string, string>
const rfqParts = async (input: ReturnType<typeof crowdedInput>) => partsOf(await rfqWorkbook(compareOffers(input)))

describe('workbook parts', () => {
  it.each(labelledCases(CASES, QUICK))('conform to ECMA-376: %s', async (_, input) => {
    expect(workbookFaults(await rfqParts(input()))).toEqual([])
  })

  it.each(Object.entries(CHANNEL_CASES))('conform to ECMA-376 in the channel overview: %s', async (_, input) => {
    expect(workbookFaults(await partsOf(await channelWorkbook(summariseChannel(input()))))).toEqual([])
  })
})

/** A text replacement in a part and the fault that the check must report. */
type Damage = [what: string, part: string, from: string | RegExp, to: string, message: RegExp]

const SHEET = 'xl/worksheets/sheet1.xml'
const OFFERS = 'xl/worksheets/sheet2.xml'
const RELATIONS = 'xl/_rels/workbook.xml.rels'
const TYPES = '[Content_Types].xml'

const DAMAGES: Damage[] = [
  [
    'two elements in the wrong order',
    SHEET,
    /(<pageMargins[^>]*>)(<pageSetup[^>]*>)/,
    '$2$1',
    /x:pageSetup x:pageMargins/,
  ],
  ['an unknown attribute', SHEET, '<sheetData', '<sheetData new="1"', /unknown attribute new/],
  ['an unknown element', SHEET, '</sheetData>', '<new/></sheetData>', /has the children x:row x:new, expected row\*/],
  ['a missing attribute', SHEET, / workbookViewId="0"/, '', /attribute is missing: workbookViewId/],
  ['a word for a number', SHEET, / workbookViewId="0"/, ' workbookViewId="x"', /workbookViewId="x"/],
  ['text between elements', SHEET, '<sheetData>', '<sheetData>text', /sheetData: unexpected text "text"/],
  ['another root', SHEET, /\bworksheet\b/g, 'sheet', /the root is x:sheet/],
  ['another namespace', SHEET, 'spreadsheetml/2006/main"', 'spreadsheetml/2007/main"', /the root is \{/],
  ['an attribute that is no longer ignorable', SHEET, ' mc:Ignorable="x14ac"', '', /unknown attribute .*dyDescent/],
  [
    'an undeclared prefix in mc:Ignorable',
    SHEET,
    'mc:Ignorable="x14ac"',
    'mc:Ignorable="x14ac q"',
    /undeclared prefix q/,
  ],
  ['an unknown extension', OFFERS, /uri="\{B025F937/g, 'uri="{A025F937', /has uri=/],
  [
    'a part without a relationship',
    RELATIONS,
    /<Relationship [^>]*theme1.xml[^>]*>/,
    '',
    /no relationship refers to xl\/theme/,
  ],
  ['a relationship to a missing part', RELATIONS, 'theme1.xml', 'theme9.xml', /theme9.xml is not a theme/],
  ['two relationships with one id', RELATIONS, 'Id="rId2"', 'Id="rId1"', /has rId1 twice/],
  ['a relationship of the wrong type', RELATIONS, 'relationships/theme"', 'relationships/styles"', /is not a styles/],
  [
    'a part without a type',
    TYPES,
    /<Override PartName="\/xl\/styles.xml"[^>]*>/,
    '',
    /styles.xml has the content type/,
  ],
  ['a content type of a missing part', TYPES, '/xl/styles.xml', '/xl/style.xml', /names \/xl\/style.xml, which/],
  ['two sheets with one name', 'xl/workbook.xml', 'name="Choices"', 'name="SUMMARY"', /have the name summary/],
  [
    'a name of a missing sheet',
    'xl/workbook.xml',
    /('|&apos;)Offers('|&apos;)!/,
    "'Gone'!",
    /refers to a missing sheet: Gone/,
  ],
  ['a name that is a cell', 'xl/workbook.xml', 'name="_xlnm.Print_Titles"', 'name="AB12"', /invalid defined name AB12/],
  ['a missing style', SHEET, / s="\d+"/, ' s="999"', /has the style 999/],
  ['a missing font', 'xl/styles.xml', /(<cellXfs.*?<xf [^>]*fontId=")\d+/, '$199', /uses fontId 99 of/],
  ['a miscounted list', 'xl/styles.xml', /<fonts count="\d+"/, '<fonts count="3"', /fonts counts 3 of/],
  ['a reference to a missing string', SHEET, /t="s"><v>\d+</, 't="s"><v>99999<', /A1 has the invalid value 99999/],
  ['an invalid number', SHEET, /t="s"><v>\d+</, '><v>1,5<', /A1 has the invalid value 1,5/],
  ['a cell in the wrong row', SHEET, '<c r="A1"', '<c r="A2"', /A2 is in the wrong place/],
  ['a row before its own', SHEET, /<row r="3"/, '<row r="2"', /row 2 follows row 2/],
  ['a formula without a result', OFFERS, /<\/f><v>[^<]*<\/v>/, '</f>', /has a formula without a result/],
  ['a formula with an unknown name', OFFERS, /<f>[^<]*<\/f>/, '<f>DiscountRat+1</f>', /unknown name DiscountRat/],
  ['a formula with a missing sheet', OFFERS, /<f>[^<]*<\/f>/, '<f>Gone!$A$1</f>', /unknown sheet Gone/],
  ['a function without its prefix', OFFERS, /<f>[^<]*<\/f>/, '<f>MAXIFS(A1,A1,1)</f>', /unknown function MAXIFS/],
  ['cells merged twice', SHEET, '</mergeCells>', '<mergeCell ref="A1:XFD99"/></mergeCells>', /merged twice/],
  ['two rules of one priority', OFFERS, /priority="2"/, 'priority="1"', /two rules have priority 1/],
  ['a rule with a missing style', SHEET, /dxfId="\d+"/, 'dxfId="99"', /a rule has the style 99/],
  ['a data bar without its extension', OFFERS, /<x14:id>\{0/, '<x14:id>{1', /bars .* are drawn as/],
]

describe('the check of workbook parts', () => {
  let original: Parts
  const known = new KnownParts()
  beforeAll(async () => {
    original = await rfqParts((RFQ_CASES['many-accepted'] as typeof crowdedInput)())
  })

  it.each(DAMAGES)('finds %s', (_, part, from, to, message) => {
    const xml = original.get(part) ?? ''
    const damaged = xml.replace(from, to)
    expect(damaged).not.toBe(xml)
    expect(workbookFaults(new Map(original).set(part, damaged), known).join('\n')).toMatch(message)
  })
})
