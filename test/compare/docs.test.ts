import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OFFER_FLAGS } from '../../src/compare/offer/offer-report-model.js'
import { DEFAULT_SETTINGS, PRICE_BASES } from '../../src/core/decision/settings.js'

const page = readFileSync(new URL('../../docs/COMPARISON.md', import.meta.url), 'utf8')
const row = (name: string) => page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''

describe('docs/COMPARISON.md', () => {
  it.each(Object.entries(DEFAULT_SETTINGS))('names the setting %s with its default', (name, value) => {
    expect(row(name)).not.toBe('')
    if (value !== null && typeof value === 'object') return
    const shown = name === 'currency' ? "the RFQ's own" : String(value)
    expect(row(name).replaceAll('`', '').split(' | ')[1]).toBe(shown)
  })

  it('names no setting that there is none of', () => {
    const begin = page.indexOf('| setting | default | effect |')
    const table = page.slice(begin, page.indexOf('\n\n', begin))
    const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(named.sort()).toEqual(Object.keys(DEFAULT_SETTINGS).sort())
  })

  it.each(Object.entries(DEFAULT_SETTINGS.requirements))('names the requirement %s with its level', (name, level) => {
    expect(row(`requirements.${name}`).split(' | ')[1]).toBe(level)
  })

  it.each(PRICE_BASES)('names the price basis %s', (name) => {
    expect(row('priceBasis')).toContain(name)
  })

  it.each(OFFER_FLAGS)('names the flag %s', (code) => {
    expect(page).toContain(`\`${code}\``)
  })
})
