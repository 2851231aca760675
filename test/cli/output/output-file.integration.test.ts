import { linkSync, mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FailedError, UsageError } from '../../../src/cli/cli-error.js'
import { isSameFile, outputFile, refuseNeededFile } from '../../../src/cli/output/output-file.js'
import { loadConfig } from '../../../src/config/load.js'
import { testFolder } from '../../helpers/test-folder.js'
import { createCliFixture, createPolledFixture } from '../cli-fixture.js'

/** A folder with a configuration whose database is behind a link, and a link to the folder itself. */
function openFolder() {
  const parent = testFolder()
  const folder = join(parent, 'real')
  for (const each of ['data', 'keys', 'disk']) mkdirSync(join(folder, each), { recursive: true })
  writeFileSync(join(folder, 'keys/acme'), 'key-of-acme')
  writeFileSync(join(folder, 'keys/token'), 'a-token-of-24-characters')
  writeFileSync(join(folder, 'disk/actual.db'), 'data')
  symlinkSync('../disk/actual.db', join(folder, 'data/qk.db'))
  symlinkSync('real', join(parent, 'link'))
  writeFileSync(
    join(folder, 'qk.yaml'),
    `baseUrl: http://127.0.0.1:1
database: data/qk.db
channels: [{ org: acme, channel: forest, apiKey: { file: keys/acme }, autoClose: off }]
web: { token: { file: keys/token } }
`,
  )
  const config = loadConfig({ file: 'qk.yaml', env: {}, cwd: folder })
  return { parent, folder, config }
}

const NEEDED = [
  'qk.yaml',
  '.env',
  'keys/acme',
  'keys/token',
  ...['', '-wal', '-shm', '-journal'].flatMap((suffix) => [`data/qk.db${suffix}`, `disk/actual.db${suffix}`]),
]

describe('outputFile', () => {
  it.each(NEEDED)('never accepts a file that Quotekeeper needs, also not with --force: %s', (name) => {
    const { parent, folder, config } = openFolder()
    const links = { file: join(folder, 'symbolic'), hard: join(folder, 'hard') }
    symlinkSync(name, links.file)
    const written = [
      name,
      join(folder, name),
      `../link/${name}`,
      `data/../${name}`,
      join(parent, 'link', name),
      'symbolic',
    ]
    for (const text of written) {
      for (const force of [false, true]) {
        const attempt = () => outputFile(text, { cwd: folder, config, force })
        expect(attempt).toThrow(UsageError)
        expect(attempt).toThrow('is never overwritten: choose another file')
      }
    }
    if (isSameFile(join(folder, name), join(folder, 'nothing'))) throw new Error('matches everything')
    try {
      linkSync(realpathSync(join(folder, name)), links.hard)
    } catch {
      return // It does not exist yet, so it has no hard link.
    }
    expect(() => outputFile('hard', { cwd: folder, config, force: true })).toThrow(UsageError)
  })

  it('accepts an existing file only with --force, and a new one in an existing or new folder', () => {
    const { folder, config } = openFolder()
    writeFileSync(join(folder, 'old.xlsx'), '')
    const resolved = (text: string, force: boolean) => outputFile(text, { cwd: folder, config, force })
    expect(() => resolved('old.xlsx', false)).toThrow(FailedError)
    expect(() => resolved('old.xlsx', false)).toThrow('already exists: choose another file, or use --force')
    expect(resolved('old.xlsx', true)).toBe(join(folder, 'old.xlsx'))
    for (const name of ['new.xlsx', 'data/new.xlsx', 'other/folder/new.xlsx', 'data/qk.db.xlsx'])
      expect(resolved(name, false)).toBe(join(folder, name))
    symlinkSync('nowhere', join(folder, 'dangling'))
    expect(() => resolved('dangling', false)).toThrow(FailedError)
  })

  it('rejects folders and devices, also with --force', () => {
    const { folder, config } = openFolder()
    for (const text of ['data', 'new/', '.'])
      expect(() => outputFile(text, { cwd: folder, config, force: true })).toThrow('is a folder')
    expect(() => outputFile('/dev/null', { cwd: folder, config, force: true })).toThrow('is not a regular file')
  })
})

it('refuseNeededFile compares links that were made after the configuration was read', () => {
  const { parent, folder, config } = openFolder()
  renameSync(join(parent, 'link'), join(parent, 'moved'))
  expect(() => refuseNeededFile(join(parent, 'moved/data/qk.db'), config)).toThrow(UsageError)
  expect(() => refuseNeededFile(join(folder, 'data/copy.db'), config)).not.toThrow()
})

it('report and backup leave needed and existing files as they are', async () => {
  const { quotekeeper, folder } = await createPolledFixture({
    channels: [{ org: 'acme', channel: 'blue', theme: 'blue', listings: 1, rfqs: 1, responsesPerRfq: 1 }],
  })
  writeFileSync(join(folder, 'notes.xlsx'), 'mine')
  const texts = () =>
    ['quotekeeper.yaml', '.env', 'notes.xlsx', 'data/quotekeeper.db'].map((name) =>
      readFileSync(join(folder, name), 'hex'),
    )
  const before = texts()
  const refused = ['quotekeeper.yaml', '.env', 'data/quotekeeper.db', 'data/quotekeeper.db-wal']
  for (const name of refused) {
    for (const args of [
      ['report', '1001', '--out', name, '--force'],
      ['report', '--out', name, '--force'],
      ['backup', name],
    ]) {
      const { status, out, err } = await quotekeeper(...args)
      expect({ args, status, out }).toEqual({ args, status: 2, out: '' })
      expect(err).toContain('is never overwritten')
    }
  }
  const existing = await quotekeeper('report', '1001', '--out', 'notes.xlsx')
  expect(existing).toMatchObject({ status: 1, out: '' })
  expect(existing.err).toContain('notes.xlsx already exists: choose another file, or use --force')
  expect(await quotekeeper('report', '1001', '--force')).toMatchObject({ status: 2 })
  expect(texts()).toEqual(before)
  const written = await quotekeeper('report', '1001', '--out', 'notes.xlsx', '--force')
  expect(written).toMatchObject({ status: 0, out: `${join(folder, 'notes.xlsx')}\n` })
  expect(readFileSync(join(folder, 'notes.xlsx')).subarray(0, 2).toString()).toBe('PK')
})

it('backup --keep never deletes the database that it reads through a link', async () => {
  const { quotekeeper, folder } = await createCliFixture({
    more: 'database: live.db\n',
    channels: [{ org: 'acme', channel: 'blue', theme: 'blue', listings: 1, rfqs: 0, responsesPerRfq: 0 }],
  })
  mkdirSync(join(folder, 'backups'))
  symlinkSync('backups/qk-2026-01-01.db', join(folder, 'live.db'))
  writeFileSync(join(folder, 'backups/qk-2026-01-01.db'), '')
  expect(await quotekeeper('sync')).toMatchObject({ status: 0 })
  const { status, err } = await quotekeeper('backup', 'backups/qk-{date}.db', '--keep', '1')
  expect({ status, err }).toEqual({ status: 0, err: '' })
  expect(await quotekeeper('listings')).toMatchObject({ status: 0 })
})
