import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLogFlush } from '../../../src/store/sqlite/log-flush.js'
import { testFolder } from '../../helpers/test-folder.js'

it('createLogFlush › fails with a remedy if the log cannot be flushed, and succeeds afterwards', async () => {
  const database = join(testFolder(), 'quotekeeper.db')
  writeFileSync(database, '')
  const flush = createLogFlush(database)
  for (let round = 0; round < 6; round++) {
    await expect(flush()).rejects.toThrow(/quotekeeper\.db-wal \(ENOENT\)\. Check the disk/)
    writeFileSync(`${database}-wal`, 'commit')
    await flush()
    rmSync(`${database}-wal`)
  }
})
