import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = import.meta.dirname
const SELF = 'projects.test.ts'
const unitTests = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && !/\.(integration|external|process)\.test\.ts$/.test(file) && file !== SELF,
)

/** What only other tests may use: processes, threads, servers that must be installed, the compiled program. */
const STARTS_PROCESSES = /node:(child_process|worker_threads)|helpers\/servers\/|support\/tools\.js/

/** The tests that also run on PostgreSQL, one by one. */
const config = readFileSync(join(ROOT, '../vitest.postgres.config.ts'), 'utf8')
const onPostgres = Array.from(config.matchAll(/'test\/([^']+)'/g), ([, pattern = '']) => pattern)

describe('test projects', () => {
  it('run tests on PostgreSQL that exist', () => {
    expect(onPostgres.length).toBeGreaterThan(20)
    const missing = onPostgres.filter(
      (pattern) => !existsSync(join(ROOT, pattern.replace(/\*\*\/\*(\.integration)?\.test\.ts$/, ''))),
    )
    expect(missing).toEqual([])
  })

  it('have unit tests, which start no process and need no installed program', () => {
    expect(unitTests.length).toBeGreaterThan(40)
    expect(unitTests.filter((file) => STARTS_PROCESSES.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
  })
})
