import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = import.meta.dirname
const SELF = 'projects.test.ts'
const unitTests = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && !/\.(integration|external)\.test\.ts$/.test(file) && file !== SELF,
)

/** What only the slower projects may use: processes, threads, servers that must be installed, the compiled program. */
const STARTS_PROCESSES =
  /node:(child_process|worker_threads)|helpers\/(private-redis|private-postgres|redis-runners|queue-servers|process-fixture)\.js|support\/tools\.js/

describe('test projects', () => {
  it('find the unit tests', () => {
    expect(unitTests.length).toBeGreaterThan(40)
  })

  it.each(unitTests)('%s starts no process and needs no installed program', (file) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(STARTS_PROCESSES)
  })
})
