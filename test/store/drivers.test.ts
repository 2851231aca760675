import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const STORE = join(import.meta.dirname, '../../src/store')
/** Imports of values; types are gone when the program runs. */
const IMPORT = /^(?:import|export)(?! type)[^'\n]*(?:\n[^'\n]*)*? from '([^']+)'/gm

/** What a module imports, itself or through other modules. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
    if (name.startsWith('.')) importsOf(join(dirname(file), name.replace(/\.js$/, '.ts')), found)
    else found.add(name)
  return found
}

it.each([
  ['sqlite/store.ts', ['better-sqlite3']],
  ['postgres/store.ts', ['pg']],
  ['open-database.ts', []],
])('%s loads only the driver of its engine: %j', (module, drivers) => {
  const imports = importsOf(join(STORE, module))
  expect(['better-sqlite3', 'pg'].filter((driver) => imports.has(driver))).toEqual(drivers)
})
