import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findReport } from '../../src/report-files/report-folder.js'
import { testFolder } from '../helpers/test-folder.js'

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
