import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
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
    ['sslmod=require', 'not known, .* Allowed are schema, sslmode, sslrootcert, sslcert, sslkey; host, port and user'],
    ['host=other&port=1', 'not known'],
    ['schema=a&schema=b', 'the same one twice'],
    ['schema=pg_foo', 'schema in .* without pg_'],
    ['sslmode=prefer', 'sslmode in .* disable, require, verify-ca or verify-full'],
    ['sslmode=', 'sslmode in .* disable'],
    ['sslrootcert=certs/ca.pem', 'sslrootcert in .* an absolute path'],
    ['sslrootcert=/ca.pem&sslkey=key.pem', 'sslkey in .* an absolute path'],
    ['SECRET@x', 'not known'],
  ])('with ?%s is refused with what to write', (query, message) => {
    const error = rejection(`${HOST}?${query}`)
    expect(error).toBeInstanceOf(StoreError)
    expect(error.message).toMatch(new RegExp(message))
    expect(error.message).not.toContain('SECRET')
  })

  it('with several hosts is refused', () => {
    for (const hosts of ['one,two', 'one:5432,two:5433'])
      expect(rejection(`postgres://me:SECRET@${hosts}/desk`).message).toMatch(/^(?!.*SECRET).*with one host/)
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
