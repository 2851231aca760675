import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { matrix } from './fault-matrix.js'

const here = import.meta.dirname
/** `npm run faults` is about to rewrite the table. */
const rewriting = process.env.QUOTEKEEPER_FAULT_TABLE === '1'

it.skipIf(rewriting)('docs/RELIABILITY.md › lists every fault of the matrix, none of them failed', () => {
  const text = readFileSync(join(here, '../../docs/RELIABILITY.md'), 'utf8')
  for (const [row, { fault, expected }] of Object.entries(matrix)) {
    expect(text).toContain(`| ${row} | ${fault} | ${expected} | `)
  }
  expect(text).not.toContain('failed**')
})

it('fault matrix › every fault has a test', () => {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
  const text = files.map((name) => readFileSync(join(here, name), 'utf8')).join('\n')
  const tested = new Set(
    [...text.matchAll(/\b(?:longF|f)ault(?:Unless\(\w+\))?\(\s*(\d+),/g)].map((match) => Number(match[1])),
  )
  const untested = Object.keys(matrix).filter((row) => !tested.has(Number(row)))
  expect(untested).toEqual([])
})
