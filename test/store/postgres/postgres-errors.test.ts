import { createServer } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DatabaseUnavailableError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { toPostgresError } from '../../../src/store/postgres/postgres-errors.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'

const messageOf = (error: unknown) => String(toPostgresError(error, 'postgres://db/desk'))
const coded = (code: string, message: string) => Object.assign(new Error(message), { code })
const ofServer = (code: string) => Object.assign(new pg.DatabaseError('said so', 7, 'error'), { code })

const SELF_SIGNED = coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')

describe('an error of PostgreSQL', () => {
  it.each([
    ['a self-signed certificate', SELF_SIGNED, /is not accepted: .*self-signed.*sslrootcert/],
    ['one that caused another', new Error('Connection terminated', { cause: SELF_SIGNED }), /sslrootcert/],
    ['one of several addresses', new AggregateError([SELF_SIGNED]), /self-signed certificate.*sslrootcert/],
    ['an unknown authority', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify'), /sslrootcert/],
    [
      'an expired certificate',
      coded('CERT_HAS_EXPIRED', 'certificate has expired'),
      /not accepted: .*has expired.*TLS of the server/,
    ],
    [
      'the name of another host',
      checkServerIdentity('db', { subjectaltname: 'DNS:other' } as PeerCertificate),
      /not accepted: .*Host: db.*the host name/,
    ],
    ['a key that is none', coded('ERR_OSSL_PEM_NO_START_LINE', 'error:0480006C'), /Check sslmode and the files/],
    [
      'a file that is not there',
      coded('ENOENT', "ENOENT: no such file or directory, open 'ca.pem'"),
      /cannot be encrypted.*ca.pem.*the files that sslrootcert/,
    ],
    ['a wrong password', ofServer('28P01'), /refuses the connection.*databasePassword .* PGPASSWORD/],
    ['a user that does not exist', ofServer('28000'), /refuses the connection.*create the user.*pg_hba/],
    ['a pooler that refuses the settings', ofServer('08P01'), /settings .* Name it itself/],
    ['a server that is too old', ofServer('42704'), /PostgreSQL 14 or newer/],
    ['a database that does not exist', ofServer('3D000'), /refuses the connection.*or the database/],
  ])('about %s says what to do, and that it does not end by itself', (_, error, message) => {
    expect(messageOf(error)).toMatch(message)
    expect(toPostgresError(error, 'db')).not.toBeInstanceOf(DatabaseUnavailableError)
  })

  it('about verify-ca without a certificate names sslrootcert', async () => {
    const database = new PostgresDatabase(parsePostgresUrl('postgres://me@127.0.0.1:1/desk?sslmode=verify-ca'))
    await expect(database.get('select 1')).rejects.toThrow(/the files that sslrootcert/)
    await database.close()
  })

  it('about a slow statement names it, and not a lost connection', () => {
    expect(messageOf(ofServer('57014'))).toMatch(/cancelled a statement.*pg_stat_activity/)
    const busy = new Error('timeout exceeded when trying to connect')
    for (const slow of [busy, new Error('Query read timeout')])
      expect(messageOf(slow)).toMatch(/^DatabaseUnavailableError: PostgreSQL does not answer.*pg_stat_activity/)
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
      await expect(database.get('select 1')).rejects.toThrow(/cannot be encrypted.*TLS of the server/)
      await expect(database.write((tx) => tx.run('select 1'))).rejects.toThrow(/cannot be encrypted/)
      await database.close()
      expect(warn).not.toHaveBeenCalled()
    },
  )
})
