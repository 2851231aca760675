import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../..')

/** The program, freshly compiled into a temporary folder, for tests that start processes. */
export interface CompiledProgram {
  folder: string
  remove(): Promise<void>
}

export async function compileProgram(): Promise<CompiledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'quotekeeper-built-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], { cwd: ROOT })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
