import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { createWorld, type Sandbox } from '../../../src/sandbox/index.js'
import { createCliFixture } from '../../cli/cli-fixture.js'
import { CHANNEL } from '../channel-fixture.js'
import { eventually } from '../eventually.js'
import { startProcess } from './start-process.js'

const PROGRAM = resolve(import.meta.dirname, '../../../dist/src/cli/main.js')

export type ProcessFixture = Awaited<ReturnType<typeof openProcessFixture>>

/**
 * Opens a sandbox on real time, and a folder in which processes of the compiled program (`npm run build`) run.
 * @param more further sections of the configuration
 */
export async function openProcessFixture({ rfqs = 3, more = '' } = {}) {
  const world = createWorld({
    seed: 1,
    now: new Date(),
    still: true,
    channels: [{ ...CHANNEL, listings: 3, rfqs: 0 }],
  })
  const { folder, sandbox, quotekeeper } = await createCliFixture({
    ...{ world, now: () => new Date(), hasDatabase: false },
    more: `database: ./quotekeeper.db
requests: { concurrency: 4, perSecond: 5000, timeoutMs: 20000, retries: 1 }
${more}`,
  })
  const database = join(folder, 'quotekeeper.db')
  const ids = Array.from({ length: rfqs }, () => addPastDueRfq(sandbox))
  /** The rows a query returns, or null while the database cannot be read. */
  const sql = (text: string): unknown[] | null => {
    try {
      const db = new Database(database, { readonly: true, fileMustExist: true })
      const rows = db.prepare(text).all()
      db.close()
      return rows
    } catch {
      return null
    }
  }
  return {
    folder,
    sandbox,
    /** Path of the database file. */
    database,
    /** Ids of the RFQs; all are open and past due. */
    rfqIds: ids,
    sql,
    /** Starts the program with this folder's configuration. */
    start: (args: string[], env: Record<string, string> = {}) =>
      startProcess([PROGRAM, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } }),
    /** Runs a command in this process, with the same configuration: for what the processes left, not for what they are. */
    run: quotekeeper,
    waitForRows: (text: string, rows: unknown[]) => eventually(() => expect(sql(text)).toEqual(rows)),
    /** The POST requests that the marketplace has received. */
    posts: () => sandbox.requests.filter((request) => request.operation === 'closeRfq'),
  }
}

/** Adds an open RFQ that is past due, with two responses; returns its id. */
export function addPastDueRfq({ world }: Sandbox): string {
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const { id } = world.addRfq(CHANNEL, { responseDueDate: twoDaysAgo })
  for (let n = 0; n < 2; n++) world.addResponse(id)
  return id
}
