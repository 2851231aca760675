import { describe, expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { isChange } from '../../../src/compare/report/document-changes.js'
import { RFQ_CASES } from '../support/rfq-cases.js'

const report = compareOffers((RFQ_CASES.mixed as NonNullable<(typeof RFQ_CASES)[string]>)())
const sheet = (name: string) => {
  const plan = rfqSheets(report)
    .map((make) => make())
    .find((each) => each.name === name)
  return [...(plan?.rows() ?? [])].map(({ cells }) => cells.map((cell) => (cell === undefined ? '' : cellText(cell))))
}

describe('sheet Changes', () => {
  it('tells changes from first sightings', () => {
    const [, , note, , header = [], ...rows] = sheet('Changes')
    const column = (name: string) => rows.map((row) => row[header.indexOf(name)])
    expect(column('Kind')).toEqual(report.changes.map((change) => (isChange(change) ? 'change' : 'first sighting')))
    expect(new Set(column('Kind'))).toEqual(new Set(['first sighting', 'change']))
    const changed = report.changes.filter(({ event }) => event !== 'appeared').length
    expect(note?.[0]).toMatch(
      new RegExp(`^${changed} changes?, apart from ${report.changes.length - changed} first sightings`),
    )
  })

  it('is summarised by the number of changes alone', () => {
    const changed = report.changes.filter(({ event }) => event !== 'appeared').length
    expect(changed).toBeLessThan(report.changes.length)
    expect(sheet('About').flat().join('\n')).toContain(`${changed} changes observed`)
  })
})
