import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { LONG_SUFFIX } from '../helpers/long-tests.js'
import { matrix } from './fault-matrix.js'

const FILE = join(import.meta.dirname, '../../docs/RELIABILITY.md')
const BEGIN = '<!-- the table below is written by npm run faults -->'

/** A vitest reporter that writes the table of docs/RELIABILITY.md from the test results. */
export default class FaultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = new Map<number, TestOutcome[]>()
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const row = Number(/^fault (\d+)/.exec(test.name)?.[1])
        const outcome = { state: test.result().state, long: isLong(module, test) }
        if (row) tests.set(row, [...(tests.get(row) ?? []), outcome])
      }
    }
    const [head] = readFileSync(FILE, 'utf8').split(BEGIN)
    writeFileSync(FILE, `${head}${BEGIN}\n\n${table(tests)}\n`)
  }
}

const isLong = (module: TestModule, { name }: TestCase) =>
  name.includes(LONG_SUFFIX) || module.moduleId.endsWith('.process.test.ts')

interface TestOutcome {
  state: string
  long: boolean
}

function table(tests: ReadonlyMap<number, TestOutcome[]>): string {
  const rows = Object.entries(matrix).map(
    ([row, { fault, expected }]) => `| ${row} | ${fault} | ${expected} | ${summarize(tests.get(Number(row)) ?? [])} |`,
  )
  return ['| # | fault | expected behaviour | tests |', '|---|---|---|---|', ...rows].join('\n')
}

function summarize(tests: readonly TestOutcome[]): string {
  const count = (status: string) => tests.filter(({ state }) => state === status).length
  const [passed, skipped] = [count('passed'), count('skipped')]
  const failed = tests.length - passed - skipped
  if (tests.length === 0) return 'not tested'
  if (failed > 0) return `**${failed} of ${tests.length} failed**`
  const long = tests.filter((test) => test.long && test.state === 'passed').length
  return `${passed} passed${long > 0 ? ` (${long} long)` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
