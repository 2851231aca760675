import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { writeFileAtomically } from '../../src/report-files/report-file.js'
import { findReport } from '../../src/report-files/report-folder.js'
import { testFolder } from '../helpers/test-folder.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('writing a report file', () => {
  let folder: string
  beforeEach(() => {
    folder = testFolder()
  })
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
  it('with mustBeNew, keeps a file that exists or that appears while the new one is written', async () => {
    const file = join(folder, 'report.xlsx')
    const mustBeNew = { mustBeNew: true }
    expect(await writeFileAtomically(file, 'first', mustBeNew)).toEqual({
      path: file,
      bytes: 5,
      sha256: sha256('first'),
    })
    expect([readFileSync(file, 'utf8'), mode(file)]).toEqual(['first', '600'])
    await expect(writeFileAtomically(file, 'again', mustBeNew)).rejects.toMatchObject({ code: 'EEXIST', path: file })
    const writers = [1, 2, 3, 4, 5, 6].map((writer) =>
      writeFileAtomically(join(folder, 'raced.xlsx'), `writer ${writer}`, mustBeNew),
    )
    const outcomes = (await Promise.allSettled(writers)).map(({ status }) => status)
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).toBe('first')
    expect(readdirSync(folder).sort()).toEqual(['raced.xlsx', 'report.xlsx'])
  })
  it('keeps the old file and removes the temporary one on failure', async () => {
    const taken = join(folder, 'report.xlsx')
    mkdirSync(join(taken, 'inside'), { recursive: true })
    await expect(writeFileAtomically(taken, 'new')).rejects.toThrow()
    expect(existsSync(join(taken, 'inside'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['report.xlsx'])
  })
  it('adds the path to system errors that lack it', async () => {
    const file = join(folder, 'report.xlsx')
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' })
    const handle = await open(join(folder, 'other'), 'w')
    const broken = vi.spyOn(Object.getPrototypeOf(handle), 'writeFile').mockRejectedValue(full)
    await handle.close()
    await expect(writeFileAtomically(file, 'new')).rejects.toMatchObject({ code: 'ENOSPC', path: file })
    broken.mockRestore()
    expect(readdirSync(folder)).toEqual(['other'])
  })
})

const NAMES = ['acme_forest/a.xlsx', 'acme_forest/b.xlsx', 'c.xlsx', '.hidden/d.xlsx']
const OTHERS = ['acme_forest/.a.xlsx', 'acme_forest/z.csv', 'acme_forest/deep/e.xlsx', '../outside.xlsx']

/** A report folder with reports, other files, and links to a file and a folder outside. */
function reportFolder(): string {
  const outside = testFolder()
  const directory = join(outside, 'reports')
  for (const folder of ['acme_forest/deep', '.hidden', '../elsewhere', 'folder.xlsx'])
    mkdirSync(join(directory, folder), { recursive: true })
  for (const name of [...NAMES, ...OTHERS, '../elsewhere/f.xlsx']) writeFileSync(join(directory, name), 'report')
  symlinkSync(join(outside, 'elsewhere/f.xlsx'), join(directory, 'link.xlsx'))
  symlinkSync(join(outside, 'elsewhere'), join(directory, 'linked'))
  return directory
}

it('only reports in the folder and the folders of its channels are found, and no name leads elsewhere', async () => {
  const directory = reportFolder()
  for (const name of NAMES) expect(await findReport(directory, name)).toBe(join(directory, name))
  const elsewhere = ['link.xlsx', 'linked/f.xlsx', 'folder.xlsx', './c.xlsx', '../reports/c.xlsx', '/c.xlsx', 'x.xlsx']
  const unusual = ['acme_forest/../c.xlsx', 'acme_forest//a.xlsx', 'acme_forest\\a.xlsx', 'c.xlsx\0.xlsx', '']
  for (const name of [...OTHERS, ...elsewhere, ...unusual])
    expect([name, await findReport(directory, name)]).toEqual([name, null])
})
