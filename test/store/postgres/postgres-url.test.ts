import { describe, expect, it } from 'vitest'
import { UnusableDatabaseError } from '../../../src/store/errors.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'

const HOST = 'postgres://me:SECRET@host/desk'
const rejection = (url: string): Error => {
  try {
    parsePostgresUrl(url)
  } catch (error) {
    return error as Error
  }
  throw new Error(`accepted: ${url}`)
}

describe('the URL of a PostgreSQL database', () => {
  it.each([
    ['sslmod=require', '"sslmod" which is not known. Allowed are schema, sslmode, sslrootcert, sslcert, sslkey'],
    ['Schema=desk', '"Schema" which is not known'],
    [
      'host=other&port=1',
      '"host" which is not known. Allowed are schema, .*host, port and user belong before the "\\?"',
    ],
    ['application_name=x', '"application_name" which is not known'],
    ['schema=a&schema=b', '"schema" more than once'],
    ['sslmode=require&sslmode=disable', '"sslmode" more than once'],
    ['schema=pg_foo', '"pg_foo" cannot be the schema .* begin with pg_'],
    ['sslmode=prefer', '"prefer" cannot be the sslmode .* disable, require, verify-ca, verify-full'],
    ['sslmode=', '"" cannot be the sslmode'],
    ['sslmode=verify-ca', 'needs sslrootcert=PATH'],
    ['sslrootcert=certs/ca.pem', 'sslrootcert of the database is "certs/ca.pem", which is not an absolute path'],
    ['sslrootcert=/ca.pem&sslkey=key.pem', 'sslkey of the database is "key.pem"'],
    ['SECRET@x', 'the parameter which is not known'],
    ['a&b=SECRET', '"a" which is not known'],
  ])('with ?%s is refused with what to write', (query, message) => {
    const error = rejection(`${HOST}?${query}`)
    expect(error).toBeInstanceOf(UnusableDatabaseError)
    expect(error.message).toMatch(new RegExp(message))
    expect(error.message).not.toContain('SECRET')
  })

  it('with several hosts is refused with what to use instead', () => {
    for (const hosts of ['one,two', 'one:5432,two:5433']) {
      const error = rejection(`postgres://me:SECRET@${hosts}/desk?target_session_attrs=read-write`)
      expect(error).toBeInstanceOf(UnusableDatabaseError)
      expect(error.message).toMatch(/several hosts. Use one name that .* moves with it at a fail-over/)
      expect(error.message).not.toContain('SECRET')
    }
    expect(parsePostgresUrl('postgres://me:a,b@one/desk?sslrootcert=/a,b').name).toBe('postgres://one/desk')
  })

  it('gives sslmode the meaning that it has for psql, and verifies in full what only names a certificate', () => {
    const queryOf = (query: string) => new URL(parsePostgresUrl(`${HOST}?${query}`).connectionString).search
    expect(queryOf('schema=pgfoo')).toBe('')
    for (const mode of ['disable', 'require', 'verify-full'])
      expect(queryOf(`sslmode=${mode}&schema=a`)).toBe(`?sslmode=${mode}&uselibpqcompat=true`)
    expect(queryOf('sslrootcert=/ca.pem')).toBe('?sslrootcert=%2Fca.pem&sslmode=verify-full&uselibpqcompat=true')
  })
})
