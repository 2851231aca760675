import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findReport, listReports } from '../../src/report-files/report-folder.js'
import { testFolder } from '../helpers/test-folder.js'

const NAMES = ['acme_forest/a.xlsx', 'acme_forest/b.xlsx', 'c.xlsx', '.hidden/d.xlsx']
const OTHERS = ['acme_forest/.a.xlsx', 'acme_forest/z.csv', 'acme_forest/deep/e.xlsx', '../outside.xlsx']

/** A report folder with reports of one moment, other files, and links to a file and a folder outside. */
function reportFolder(): string {
  const outside = testFolder()
  const directory = join(outside, 'reports')
  for (const folder of ['acme_forest/deep', '.hidden', '../elsewhere', 'folder.xlsx'])
    mkdirSync(join(directory, folder), { recursive: true })
  for (const name of [...NAMES, ...OTHERS, '../elsewhere/f.xlsx']) {
    writeFileSync(join(directory, name), 'report')
    utimesSync(join(directory, name), 1_700_000_000, 1_700_000_000)
  }
  symlinkSync(join(outside, 'elsewhere/f.xlsx'), join(directory, 'link.xlsx'))
  symlinkSync(join(outside, 'elsewhere'), join(directory, 'linked'))
  return directory
}

it('reports of one moment are listed by name, after newer ones', async () => {
  const directory = reportFolder()
  utimesSync(join(directory, 'c.xlsx'), 1_800_000_000, 1_800_000_000)
  const names = (await listReports(directory)).map(({ name }) => name)
  expect(names).toEqual(['c.xlsx', ...NAMES.filter((name) => name !== 'c.xlsx').sort()])
  expect(await listReports(join(directory, 'nowhere'))).toEqual([])
})

it('exactly the listed reports are found, and no name leads elsewhere', async () => {
  const directory = reportFolder()
  for (const name of NAMES) expect(await findReport(directory, name)).toBe(join(directory, name))
  const elsewhere = ['link.xlsx', 'linked/f.xlsx', 'folder.xlsx', './c.xlsx', '../reports/c.xlsx', '/c.xlsx', 'x.xlsx']
  const unusual = ['acme_forest/../c.xlsx', 'acme_forest//a.xlsx', 'acme_forest\\a.xlsx', 'c.xlsx\0.xlsx', '']
  for (const name of [...OTHERS, ...elsewhere, ...unusual])
    expect([name, await findReport(directory, name)]).toEqual([name, null])
})
