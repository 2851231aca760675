import { createServer } from 'node:net'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DatabaseUnavailableError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { toConnectionError, toPostgresError } from '../../../src/store/postgres/postgres-errors.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'

const messageOf = (error: unknown) => String(toPostgresError(error, 'postgres://db/desk'))
const coded = (code: string, message: string) => Object.assign(new Error(message), { code })
const ofServer = (code: string) => Object.assign(new pg.DatabaseError('said so', 7, 'error'), { code })

describe('an error of PostgreSQL', () => {
  it.each([
    ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed')],
    ['a file that is not there', coded('ENOENT', "ENOENT: no such file or directory, open 'ca.pem'")],
    ['a wrong password', ofServer('28P01')],
    ['a pooler that refuses the settings', ofServer('08P01')],
    ['a server that is too old', ofServer('42704')],
  ])('about a connection with %s says what to do, and that it does not end by itself', (_, error) => {
    const converted = toConnectionError(error, 'postgres://db/desk')
    expect(String(converted)).toMatch(/refuses the connection.*\/desk \(.+databasePassword .*sslrootcert.*14 or newer/)
    expect(converted).not.toBeInstanceOf(DatabaseUnavailableError)
  })

  it('about verify-ca without a certificate names sslrootcert', async () => {
    const database = new PostgresDatabase(parsePostgresUrl('postgres://me@127.0.0.1:1/desk?sslmode=verify-ca'))
    await expect(database.get('select 1')).rejects.toThrow(/the files that sslrootcert/)
    await database.close()
  })

  it('about a slow statement names it, and not a lost connection', () => {
    expect(messageOf(ofServer('57014'))).toMatch(/cancelled a statement.*pg_stat_activity/)
    for (const slow of ['timeout exceeded when trying to connect', 'Query read timeout'])
      expect(messageOf(new Error(slow))).toMatch(/^DatabaseUnavailableError: .*timeout.*pg_stat_activity/)
  })

  it('that may end by itself promises nothing, because the process may exit', () => {
    for (const error of [coded('ECONNREFUSED', 'refused'), ...['57P01', '53300', '25006'].map(ofServer)]) {
      expect(toPostgresError(error, 'db')).toBeInstanceOf(DatabaseUnavailableError)
      expect(messageOf(error)).not.toMatch(/goes on|tries again|bug/)
    }
  })

  it.each(['require', 'verify-full'])(
    'that does not encrypt says so with sslmode=%s, without a warning',
    async (mode) => {
      const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end('N')))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      const warn = vi.spyOn(process, 'emitWarning')
      const database = new PostgresDatabase(parsePostgresUrl(`postgres://me@127.0.0.1:${port}/desk?sslmode=${mode}`))
      onTestFinished(() => void server.close())
      await expect(database.get('select 1')).rejects.toThrow(/cannot be encrypted.*certificate of the server/)
      await expect(database.write((tx) => tx.run('select 1'))).rejects.toThrow(/cannot be encrypted/)
      await database.close()
      expect(warn).not.toHaveBeenCalled()
    },
  )
})
