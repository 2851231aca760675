import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export type SmallDisk = NonNullable<ReturnType<typeof mountSmallDisk>>

/** @returns the folder of a new file system; null if this user may not mount one */
function mount(size: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
}

function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true })
}

/** Why `mountSmallDisk` returns null on this machine, or null if it works. */
export function mountSkipReason(): string | null {
  const folder = mount('1m')
  if (folder === null) return 'this user cannot mount a file system'
  unmount(folder)
  return null
}

/** Mounts a small separate file system for one test; null if this user may not mount file systems. */
export function mountSmallDisk(size = '3m') {
  const folder = mount(size)
  if (folder === null) return null
  onTestFinished(() => unmount(folder))
  return {
    folder,
    /** Makes it read-only, or writable again. */
    setReadOnly(readOnly: boolean): void {
      execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder], { stdio: 'ignore' })
    },
  }
}
