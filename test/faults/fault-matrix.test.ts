import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { matrix } from './fault-matrix.js'

const here = import.meta.dirname

const beingWritten = process.env.QUOTEKEEPER_HEAVY === '1'

it.skipIf(beingWritten)('the fault table in docs/RELIABILITY.md has every row of the matrix, none failed', () => {
  const text = readFileSync(join(here, '../../docs/RELIABILITY.md'), 'utf8')
  for (const [row, { fault, must }] of Object.entries(matrix)) {
    expect(text).toContain(`| ${row} | ${fault} | ${must} | `)
  }
  expect(text).not.toContain('failed**')
})

it('every row has a test', () => {
  const files = readdirSync(here).filter((name) => name.endsWith('.test.ts'))
  const text = files.map((name) => readFileSync(join(here, name), 'utf8')).join('\n')
  const tested = new Set([...text.matchAll(/\bfault(?:Unless\(\w+\))?\(\s*(\d+),/g)].map((match) => Number(match[1])))
  const untested = Object.keys(matrix).filter((row) => !tested.has(Number(row)))
  expect(untested).toEqual([])
})
