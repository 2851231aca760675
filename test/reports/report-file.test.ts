import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { destinationPath, writeFileAtomically } from '../../reports/report-file.js'

describe('writing a report file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reports-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

  it('creates directories and a file that only the owner can read, and nothing else', async () => {
    const file = join(folder, 'a', 'b', 'report.xlsx')
    await writeFileAtomically(file, Buffer.from('one'))
    expect(readFileSync(file, 'utf8')).toBe('one')
    expect([mode(file), mode(join(folder, 'a')), mode(join(folder, 'a', 'b'))]).toEqual(['600', '700', '700'])
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['report.xlsx'])
  })
  it('replaces an existing file', async () => {
    const file = join(folder, 'report.xlsx')
    await writeFileAtomically(file, 'old')
    chmodSync(file, 0o644)
    await writeFileAtomically(file, 'new')
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(mode(file)).toBe('600')
  })
  it('keeps the old file and removes the temporary one on failure', async () => {
    const taken = join(folder, 'report.xlsx')
    mkdirSync(join(taken, 'inside'), { recursive: true })
    await expect(writeFileAtomically(taken, 'new')).rejects.toThrow()
    expect(existsSync(join(taken, 'inside'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['report.xlsx'])
  })
  it('writes a stream while it is read, and leaves nothing if the stream fails', async () => {
    const file = join(folder, 'report.xlsx')
    expect(await writeFileAtomically(file, Readable.from(['one ', 'after ', 'another']))).toBe(17)
    expect(readFileSync(file, 'utf8')).toBe('one after another')
    const broken = Readable.from(
      (function* () {
        yield 'half'
        throw new Error('broke off')
      })(),
    )
    await expect(writeFileAtomically(file, broken)).rejects.toThrow('broke off')
    expect(readFileSync(file, 'utf8')).toBe('one after another')
    expect(readdirSync(folder)).toEqual(['report.xlsx'])
  })
  it('adds the path to system errors that lack it', async () => {
    const file = join(folder, 'report.xlsx')
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    const broken = new Readable({ read: () => broken.destroy(full) })
    await expect(writeFileAtomically(file, broken)).rejects.toMatchObject({ code: 'ENOSPC', path: file })
  })
  it('accepts any file path, but only a plain name in a directory', () => {
    expect(destinationPath({ file: join(folder, 'x.xlsx') }, 'ignored')).toBe(join(folder, 'x.xlsx'))
    expect(destinationPath({ directory: folder }, 'y.xlsx')).toBe(join(folder, 'y.xlsx'))
    for (const name of ['../y.xlsx', 'a/y.xlsx', '.hidden', '..']) {
      expect(() => destinationPath({ directory: folder }, name)).toThrow(RangeError)
    }
  })
})
