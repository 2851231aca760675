import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const STORE = join(import.meta.dirname, '../../src/store')
/** Imports of values; types are gone when the program runs. */
const IMPORT = /^(?:import|export)(?! type)[^'\n]*(?:\n[^'\n]*)*? from '([^']+)'/gm

/** The packages that a module imports, itself or through other modules, with one way to each. */
function packagesOf(module: string): Map<string, string> {
  const packages = new Map<string, string>()
  const visited = new Set<string>()
  const visit = (file: string, way: string) => {
    if (visited.has(file)) return
    visited.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      if (name.startsWith('.')) visit(join(dirname(file), name.replace(/\.js$/, '.ts')), `${way} > ${name}`)
      else packages.set(name, way)
    }
  }
  visit(join(STORE, module), module)
  return packages
}

it('opening a database loads only the driver of its engine', () => {
  const way = (module: string, driver: string) => packagesOf(module).get(driver) ?? null
  expect([way('sqlite/store.ts', 'better-sqlite3'), way('postgres/store.ts', 'pg')]).not.toContain(null)
  for (const module of ['postgres/store.ts', 'open-database.ts'])
    expect([module, way(module, 'better-sqlite3')]).toEqual([module, null])
  for (const module of ['sqlite/store.ts', 'open-database.ts'])
    expect([module, way(module, 'pg')]).toEqual([module, null])
})
