import type { Queries, Transaction } from './sql-database.js'

/** A value of `meta`; null if there is none with this key. */
export async function findMeta(queries: Queries, key: string): Promise<string | null> {
  const row = await queries.get<{ value: string }>('select value from meta where key = @key', { key })
  return row?.value ?? null
}

/** A value of `meta` that is JSON; null if there is none with this key. */
export const findJson = async <T>(queries: Queries, key: string): Promise<T | null> =>
  JSON.parse((await findMeta(queries, key)) ?? 'null') as T | null

/** The key of the UUID of a database, which its copies and backups keep. */
export const IDENTITY_KEY = 'database_id'

/** The UUID of the database. */
export const findIdentity = async (queries: Queries): Promise<string> => (await findMeta(queries, IDENTITY_KEY)) ?? ''

/** A number in `meta`; 0 if there is none with this key. */
export const findNumber = async (queries: Queries, key: string): Promise<number> =>
  Number((await findMeta(queries, key)) ?? 0)

export async function setMeta(tx: Transaction, key: string, value: string | number): Promise<void> {
  await tx.run(
    'insert into meta (key, value) values (@key, @value) on conflict (key) do update set value = excluded.value',
    { key, value: String(value) },
  )
}
