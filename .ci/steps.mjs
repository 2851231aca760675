// The steps of .ci/run. Each test counts besides the step itself.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** More tests than this that pass only alone are a fault. */
const MAX_FLAKY = 3
/** Tests of processes and servers, which a busy machine can make late. */
const MAY_BE_LATE = /\.(integration|external|process)\.test\.ts$/

const failures = []
const flaky = []
let passed = 0

const succeeds = (command, env) =>
  spawnSync(command[0], command.slice(1), { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0

function count(step, hasPassed) {
  if (hasPassed) passed += 1
  else failures.push(step)
}

function step(name, ...command) {
  console.log(`== ${name}`)
  const hasPassed = succeeds(command)
  count(name, hasPassed)
  return hasPassed
}

function stepOfTests(name, ...command) {
  console.log(`== ${name}`)
  const { status, ...first } = runTests(command)
  const passedTests = new Set(first.passed)
  const found = [...first.errors]
  for (const failure of first.failed) {
    const again = MAY_BE_LATE.test(failure.file) ? runAlone(command, failure) : null
    if (again?.status) {
      for (const id of again.passed) passedTests.add(id)
      flaky.push(nameOf(failure))
    } else found.push(`${nameOf(failure)}: ${failure.error}`)
  }
  passed += passedTests.size
  failures.push(...found)
  count(name, found.length === 0 && (status || first.failed.length > 0))
}

const nameOf = ({ file, name }) => (name === null ? file : `${file}: ${name}`)

/** Runs one test alone; the whole file if that failed. */
function runAlone(command, { file, name, id }) {
  console.log(`== once more, alone: ${nameOf({ file, name })}`)
  const filter = name === null ? [] : ['-t', `${name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`]
  const results = runTests([...command, file, ...filter, '--maxWorkers=1'])
  return { ...results, status: results.status && (name === null || results.passed.includes(id)) }
}

function runTests(command) {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-ci-'))
  const file = join(folder, 'results.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./.ci/reporter.mjs']
    const status = succeeds([...command, ...reporters], { CI_RESULTS: file })
    return { status, ...JSON.parse(readFileSync(file, 'utf8')) }
  } catch (error) {
    return { status: false, passed: [], failed: [], errors: [`no results: ${error.message}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (step('install', 'npm', 'ci', '--no-audit', '--no-fund')) {
  step('format and lint', 'npx', 'biome', 'check', '.')
  step('types', 'npx', 'tsc', '--noEmit')
  stepOfTests('tests', 'npm', 'test', '--')
  stepOfTests('all tests in full', 'npm', 'run', '--silent', 'test:long', '--')
  stepOfTests('store on PostgreSQL', 'npm', 'run', '--silent', 'test:postgres', '--')
  step('package', 'npm', 'run', '--silent', 'test:package')
}

for (const name of flaky) console.log(`flaky: ${name}`)
if (flaky.length > MAX_FLAKY) failures.push(`${flaky.length} flaky tests; at most ${MAX_FLAKY} are allowed`)
for (const name of failures) console.log(`Failed: ${name}`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length === 0 ? 0 : 1
