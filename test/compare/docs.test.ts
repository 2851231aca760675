import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AWARD_SCENARIOS } from '../../src/compare/awards/award-model.js'
import { EXACT_UP_TO } from '../../src/compare/awards/cheapest-combination.js'
import { SENSITIVITY_LIMIT } from '../../src/compare/awards/sensitivity-analysis.js'
import { CHANNEL_REPORT_SCHEMA } from '../../src/compare/channel/channel-report-model.js'
import { NEGOTIATION_LIMIT } from '../../src/compare/decision/negotiation.js'
import { MAX_ENTRIES } from '../../src/compare/decision/switch-table.js'
import { OFFER_FLAGS, RFQ_FLAGS } from '../../src/compare/flag.js'
import { severityOf } from '../../src/compare/offer/offer-flags.js'
import { REPORT_SCHEMA } from '../../src/compare/report/rfq-report-model.js'
import { AWARD_RULES, DEFAULT_SETTINGS } from '../../src/core/settings.js'

const page = readFileSync(new URL('../../../docs/COMPARISON.md', import.meta.url), 'utf8')
const row = (name: string) => page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''

const bySeverity = (severity: string) => page.split('\n').filter((line) => line.startsWith(`| ${severity} |`))

describe('docs/COMPARISON.md', () => {
  it.each(Object.entries(DEFAULT_SETTINGS))('names the setting %s with its default', (name, value) => {
    expect(row(name)).not.toBe('')
    if (typeof value !== 'object') expect(row(name).replaceAll('`', '').split(' | ')[1]).toBe(String(value))
  })

  it.each(Object.entries(DEFAULT_SETTINGS.weights))('names the score %s with its weight', (name, weight) => {
    expect(row(name).split(' | ')[1]).toBe(String(weight))
  })

  it.each(Object.entries(DEFAULT_SETTINGS.requirements))('names the requirement %s with its level', (name, level) => {
    expect(row(`requirements.${name}`).split(' | ')[1]).toBe(level)
  })

  it.each(AWARD_RULES)('names the award rule %s', (name) => {
    expect(row(name)).not.toBe('')
  })

  it.each(AWARD_SCENARIOS)('names the scenario %s', (name) => {
    expect(row(name)).not.toBe('')
  })

  it.each(OFFER_FLAGS)('names the flag %s at its severity', (code) => {
    expect(bySeverity(severityOf(code))[0]).toContain(`\`${code}\``)
  })

  it.each(RFQ_FLAGS)('names the flag %s', (code) => {
    expect(page).toContain(`\`${code}\``)
  })

  it('names schemas and limits', () => {
    for (const text of [
      REPORT_SCHEMA,
      CHANNEL_REPORT_SCHEMA,
      `up to ${EXACT_UP_TO} offers`,
      `best ${SENSITIVITY_LIMIT} offers`,
      `Prices are computed for ${NEGOTIATION_LIMIT} offers`,
      `at most ${MAX_ENTRIES.toLocaleString('en')} entries`,
    ]) {
      expect(page).toContain(text)
    }
  })
})
