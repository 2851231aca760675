import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FOLDER = import.meta.dirname
const ALLOWED =
  /^(\.\/.*|\.\.\/helpers\/(data\/sample-documents|servers\/(private-(postgres|redis)|small-disk|start-process))\.js|node:.*|vitest|better-sqlite3|pg)$/

/** These tests survive a rewritten inside only if they know nothing of it. */
it('net › imports nothing of the program, and of the helpers of other tests only servers, disks, processes and sample documents', () => {
  const files = readdirSync(FOLDER).filter((file) => /\.m?ts$|\.mjs$/.test(file))
  expect(files.length).toBeGreaterThan(8)
  for (const file of files) {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    const imported = [...text.matchAll(/(?:\bfrom |^import |\bimport\()'([^']+)'/gm)].map(([, name]) => name)
    expect(
      imported.filter((name) => !ALLOWED.test(name ?? '')),
      file,
    ).toEqual([])
  }
})
