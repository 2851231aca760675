import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, for its owner only. Used in place of a recursive mkdir, which on Node 20 loops forever if a
 * folder cannot be created, such as below /proc, and which no signal interrupts.
 * @throws the system error of the first folder that cannot be created
 */
export function makeFolder(path: string): void {
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // It exists, or another process has created it meanwhile.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error
  }
}
