import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../src/make-folder.js'
import { testFolder } from './helpers/test-folder.js'

describe('makeFolder', () => {
  it('creates missing parents, private, and accepts an existing folder', () => {
    const path = join(testFolder(), 'a', 'b', 'c')
    for (let round = 0; round < 2; round++) makeFolder(path)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    mkdirSync(join(path, 'd'))
    expect(existsSync(join(path, 'd'))).toBe(true)
  })

  it('reports a file in the way, and a link to nothing', () => {
    const folder = testFolder()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'nothing'), join(folder, 'link'))
    expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/)
    expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/ENOTDIR/)
    expect(() => makeFolder(join(folder, 'link'))).toThrow(/EEXIST/)
  })

  it.skipIf(!existsSync('/proc/self'))('returns where no folder can be created', () => {
    expect(() => makeFolder('/proc/quotekeeper/data')).toThrow(/ENOENT/)
  })
})
