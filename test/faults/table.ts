import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { matrix } from './matrix.js'

const FILE = join(import.meta.dirname, '../../docs/RELIABILITY.md')
const BEGIN = '<!-- the table below is written by npm run faults -->'

/** Writes the table of docs/RELIABILITY.md from the run itself: which row was tested, how often, and whether it held. */
export default class FaultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = new Map<number, string[]>()
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const row = Number(/^fault (\d+)/.exec(test.name)?.[1])
        if (row) states.set(row, [...(states.get(row) ?? []), test.result().state])
      }
    }
    const [head] = readFileSync(FILE, 'utf8').split(BEGIN)
    writeFileSync(FILE, `${head}${BEGIN}\n\n${table(states)}\n`)
  }
}

function table(states: ReadonlyMap<number, string[]>): string {
  const rows = Object.entries(matrix).map(
    ([row, { fault, must }]) => `| ${row} | ${fault} | ${must} | ${verdict(states.get(Number(row)) ?? [])} |`,
  )
  return ['| # | fault | what must happen | tests |', '|---|---|---|---|', ...rows].join('\n')
}

function verdict(states: readonly string[]): string {
  const passed = states.filter((state) => state === 'passed').length
  const skipped = states.filter((state) => state === 'skipped').length
  if (states.length === 0) return 'not tested'
  if (passed + skipped < states.length) return `**${states.length - passed - skipped} of ${states.length} failed**`
  return skipped === 0 ? `${passed} passed` : `${passed} passed, ${skipped} skipped`
}
