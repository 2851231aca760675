import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents. Used in place of a recursive mkdir, which on Node 20 loops forever if a
 * folder cannot be created, such as below /proc, and which no signal interrupts.
 * @param mode permissions of the folders that are created
 * @throws the system error of the first folder that cannot be created
 */
export function makeFolder(path: string, mode = 0o700): void {
  const { existing, missing } = splitPath(path)
  // If the path itself is a file, mkdir reports it.
  for (const folder of missing.length > 0 ? missing : [existing]) createOne(folder, mode)
}

/** The nearest parent that exists, or the folder itself, and the folders that are missing below it. */
function splitPath(path: string): { existing: string; missing: string[] } {
  const missing: string[] = []
  let existing = resolve(path)
  while (statSync(existing, { throwIfNoEntry: false }) === undefined && dirname(existing) !== existing) {
    missing.unshift(existing)
    existing = dirname(existing)
  }
  return { existing, missing }
}

function createOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
