import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A small separate file system, mounted for one test. */
export interface SmallDisk {
  folder: string
  /** Makes it read-only, or writable again. */
  setReadOnly(readOnly: boolean): void
}

/** Why `mountSmallDisk` returns null on this machine, or null if it works. */
export function mountSkipReason(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return null
  } catch {
    return 'this user cannot mount a file system'
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @returns null if this user may not mount file systems */
export function mountSmallDisk(size = '3m'): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    setReadOnly: (readOnly) =>
      execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder], { stdio: 'ignore' }) as never,
  }
}
