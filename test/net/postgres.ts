import pg from 'pg'
import { onTestFinished } from 'vitest'
import { PrivatePostgres } from '../helpers/servers/private-postgres.js'

for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number)

interface Schema {
  /** What `database` of the configuration has to be. */
  url: string
  sql: (text: string) => Promise<Record<string, unknown>[]>
}

/** A new database on a server of its own, which ends with the test. */
export async function postgresSchema(): Promise<Schema> {
  const server = await PrivatePostgres.start()
  onTestFinished(() => server.remove())
  const client = new pg.Client({ connectionString: server.url, options: '-c search_path=net' })
  await client.connect()
  onTestFinished(() => client.end())
  return { url: `${server.url}?schema=net`, sql: async (text) => (await client.query(text)).rows }
}
