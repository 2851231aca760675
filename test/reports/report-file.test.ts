import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { destinationPath, writeFileAtomically } from '../../reports/report-file.js'

describe('writing a report', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reports-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

  it('makes folders and a file only their owner can read, and leaves nothing else', async () => {
    const file = join(folder, 'a', 'b', 'report.xlsx')
    await writeFileAtomically(file, Buffer.from('one'))
    expect(readFileSync(file, 'utf8')).toBe('one')
    expect([mode(file), mode(join(folder, 'a')), mode(join(folder, 'a', 'b'))]).toEqual(['600', '700', '700'])
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['report.xlsx'])
  })
  it('puts the new file in place of the old one', async () => {
    const file = join(folder, 'report.xlsx')
    await writeFileAtomically(file, 'old')
    chmodSync(file, 0o644)
    await writeFileAtomically(file, 'new')
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(mode(file)).toBe('600')
  })
  it('keeps the old file and no temporary one where it fails', async () => {
    const taken = join(folder, 'report.xlsx')
    mkdirSync(join(taken, 'inside'), { recursive: true })
    await expect(writeFileAtomically(taken, 'new')).rejects.toThrow()
    expect(existsSync(join(taken, 'inside'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['report.xlsx'])
  })
  it('writes a stream as it comes, and leaves nothing where it breaks off', async () => {
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
  it('names the file where the system names none', async () => {
    const file = join(folder, 'report.xlsx')
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    const broken = new Readable({ read: () => broken.destroy(full) })
    await expect(writeFileAtomically(file, broken)).rejects.toMatchObject({ code: 'ENOSPC', path: file })
  })
  it('takes a file as it is and a directory with a plain name only', () => {
    expect(destinationPath({ file: join(folder, 'x.xlsx') }, 'ignored')).toBe(join(folder, 'x.xlsx'))
    expect(destinationPath({ directory: folder }, 'y.xlsx')).toBe(join(folder, 'y.xlsx'))
    for (const name of ['../y.xlsx', 'a/y.xlsx', '.hidden', '..']) {
      expect(() => destinationPath({ directory: folder }, name)).toThrow(RangeError)
    }
  })
})
