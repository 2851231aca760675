// Changes the code in small ways ("mutants") and runs its tests, which must fail.
//   npm run mutate [-- GROUP …]
// Prints each mutant that survives, and the score; coverage/mutation has a page for each group. groups.json has the mutated
// files of each group and the tests that must notice: only tests that own the code, because with all tests that execute it one
// run would take hours; and none that starts processes, which would run the code built before the mutation.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

const groups = JSON.parse(readFileSync(new URL('groups.json', import.meta.url), 'utf8'))
const { positionals } = parseArgs({ allowPositionals: true })
const names = positionals.length > 0 ? positionals : Object.keys(groups)
const unknown = names.filter((name) => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`unknown group ${unknown.join(', ')}; use ${Object.keys(groups).join(', ')}`)
  process.exit(2)
}

const rows = []
for (const name of names) {
  process.env.MUTATED_GROUP = name
  const results = await new Stryker({
    mutate: groups[name].mutate,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    // TypeScript 7 has no programming interface, with which Stryker would rewrite tsconfig.json; nothing needs it.
    tsconfigFile: 'not-rewritten',
    coverageAnalysis: 'perTest',
    // Messages and labels are tested where they matter; a mutant of every text would hide the rest.
    mutator: { excludedMutations: ['StringLiteral'] },
    concurrency: 2,
    timeoutMS: 10_000,
    ignorePatterns: ['docs', 'dist', 'coverage'],
    tempDirName: `coverage/mutation/${name}-files`,
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `coverage/mutation/${name}.html` },
    jsonReporter: { fileName: `coverage/mutation/${name}.json` },
  }).runMutationTest()
  const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length
  const [detected, missed] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')]
  rows.push({
    group: name,
    mutants: detected + missed,
    detected,
    score: `${Math.round((100 * detected) / (detected + missed))} %`,
  })
}
console.table(rows)
