import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary folder for one test; removed when the test passes, kept for inspection when it fails. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-test-'))
  onTestFinished((context) => {
    if (context.task.result?.state !== 'fail') rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
