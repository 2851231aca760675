import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { looseFiles } from '../../../src/cli/process/file-permissions.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testConfig } from '../../helpers/test-config.js'
import { testFolder } from '../../helpers/test-folder.js'

function setUp() {
  const folder = testFolder()
  const path = (name: string) => join(folder, name)
  mkdirSync(path('reports'), { recursive: true, mode: 0o755 })
  const write = (name: string, mode: number, text = '') => {
    writeFileSync(path(name), text)
    chmodSync(path(name), mode)
  }
  write('quotekeeper.yaml', 0o644, 'queue: redis://:p%40ssword@host\n')
  write('quotekeeper.db', 0o600)
  write('.env', 0o600)
  write('key', 0o600)
  const config = testConfig({
    file: path('quotekeeper.yaml'),
    database: path('quotekeeper.db'),
    secretFiles: [path('key')],
    reports: { ...testConfig().reports, directory: path('reports') },
  })
  const found = (options = {}, { databaseOpened = true } = {}) =>
    looseFiles({ ...config, ...options }, { databaseOpened }).map((loose) => ({
      ...loose,
      path: loose.path.slice(folder.length + 1),
    }))
  return { folder, path, write, found, config }
}

describe.skipIf(process.platform === 'win32')('file permissions', () => {
  it('are fine if only the owner may read, and everyone may read the configuration and enter the reports', () => {
    expect(setUp().found()).toEqual([])
  })

  it.each([
    ['quotekeeper.db', 0o640, 'the database', 'readable by the group (mode 0640)'],
    ['quotekeeper.db', 0o604, 'the database', 'readable by every user (mode 0604)'],
    ['quotekeeper.db', 0o666, 'the database', 'readable and writable by every user (mode 0666)'],
    ['quotekeeper.db-wal', 0o644, 'a file of the database', 'readable by every user (mode 0644)'],
    ['.env', 0o644, 'the file of the API keys', 'readable by every user (mode 0644)'],
    ['key', 0o660, 'a key file', 'readable and writable by the group (mode 0660)'],
    ['quotekeeper.yaml', 0o646, 'the configuration', 'writable by every user (mode 0646)'],
  ])('of %s that are %o are found, with the remedy', (name, mode, what, message) => {
    const { path, write, found } = setUp()
    write(name, mode)
    const remedy = `chmod 600 ${path(name)}`
    expect(found()).toEqual([{ what, path: name, found: `${what} ${path(name)} is ${message}`, remedy }])
    chmodSync(path(name), 0o600)
    expect(found()).toEqual([])
  })

  it('of the configuration matter if it contains the password of the queue', () => {
    const { found } = setUp()
    const queue = { kind: 'redis' as const, url: 'redis://:p%40ssword@host' }
    expect(found({ queue })).toMatchObject([{ what: 'the configuration', found: expect.stringContaining('readable') }])
  })

  it('of the reports matter if others may write there', () => {
    const { path, found } = setUp()
    chmodSync(path('reports'), 0o777)
    expect(found()).toMatchObject([{ path: 'reports', remedy: `chmod 700 ${path('reports')}` }])
  })

  it('are those of the file that a link leads to, named once', () => {
    const { path, write, found, config } = setUp()
    write('the real key', 0o644)
    symlinkSync(path('the real key'), path('link'))
    const result = found({ ...config, secretFiles: [path('link'), path('the real key')] })
    expect(result).toMatchObject([{ path: 'the real key', remedy: `chmod 600 '${path('the real key')}'` }])
  })

  it.each([0o666, 0o777])('of a database that cannot be opened are left alone (%o)', (mode) => {
    const { write, found } = setUp()
    for (const name of ['quotekeeper.db', 'quotekeeper.db-wal']) write(name, mode)
    expect(found({}, { databaseOpened: false })).toEqual([])
    expect(found().map(({ path }) => path)).toEqual(['quotekeeper.db', 'quotekeeper.db-wal'])
  })

  it('are those of regular files and of a folder of reports only', () => {
    const { path, write, found } = setUp()
    mkdirSync(path('folder'))
    chmodSync(path('folder'), 0o777)
    write('report', 0o666)
    const reports = { ...testConfig().reports, directory: path('report') }
    expect(found({ database: path('folder'), secretFiles: [path('folder')], reports })).toEqual([])
  })

  it('of a new database and its companions let only its owner in, whatever the umask', async () => {
    const { folder, path } = setUp()
    const umask = process.umask(0)
    try {
      const store = await openStore({ path: path('new/quotekeeper.db') })
      for (const suffix of ['', '-wal', '-shm'])
        expect(statSync(path(`new/quotekeeper.db${suffix}`)).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
      await store.close()
    } finally {
      process.umask(umask)
    }
  })
})
