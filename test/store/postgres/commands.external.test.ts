import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCliFixture } from '../../cli/cli-fixture.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'

const postgres = usePostgres()
const PASSWORD = 'never-to-be-shown'

/** A folder with a configuration for a new schema; the server accepts any password. */
async function onServer() {
  const url = postgres.newUrl()
  const fixture = await createCliFixture({ more: `database: ${url}\ndatabasePassword: { file: password }\n` })
  writeFileSync(join(fixture.folder, 'password'), PASSWORD, { mode: 0o600 })
  return { ...fixture, name: url.replace('quotekeeper@', '') }
}

describe.skipIf(postgresSkipReason !== null)('commands on a PostgreSQL database', () => {
  it('check an empty database without creating anything in it', async () => {
    const { quotekeeper, name } = await onServer()
    const { status, out, err } = await quotekeeper('check', '--json')
    expect([status, out]).toEqual([0, expect.stringContaining(`${name}: new;`)])
    expect(out + err).not.toContain(PASSWORD)
    expect((await quotekeeper('rfqs')).err).toContain(`${name} is an empty database`)
    expect((await quotekeeper('sync')).status).toBe(0)
    expect((await quotekeeper('check', '--json')).out).toMatch(/: ok, \d+\.\d MB, schema \d+/)
  })

  it('for SQLite files say so, and change nothing', async () => {
    const { quotekeeper, folder } = await onServer()
    await quotekeeper('sync')
    const before = readdirSync(folder)
    const backup = await quotekeeper('backup', 'copy.db')
    expect([backup.status, backup.err]).toEqual([1, expect.stringContaining('pg_dump')])
    const restore = await quotekeeper('restore', 'copy.db')
    expect([restore.status, restore.err]).toEqual([1, expect.stringContaining('pg_restore')])
    expect(readdirSync(folder)).toEqual(before)
  })
})
