import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own for one test, removed when it passed; a failed test keeps it, for a look. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-test-'))
  onTestFinished((context) => {
    if (context.task.result?.state !== 'fail') rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
