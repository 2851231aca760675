import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { postgresSkipReason } from '../helpers/servers/private-postgres.js'
import { startProcess } from '../helpers/servers/start-process.js'
import { ACME, KEYS, type Marketplace } from './marketplace.js'
import { postgresSchema } from './postgres.js'

const PROGRAM = join(import.meta.dirname, '../../dist/src/cli/main.js')
const CLOCK = join(import.meta.dirname, 'shift-clock.mjs')

/** `npm run test:long` and CI run everything; `npm test` what takes seconds. */
const LONG = process.env.QUOTEKEEPER_LONG === '1'

/**
 * Registers a case of `npm run test:long`.
 * @param isPossible whether this machine has what it needs
 */
export function longIt(title: string, test: () => Promise<void>, isPossible = true): void {
  it.runIf(LONG && isPossible)(`${title} (long)`, test)
}

type Engine = 'sqlite' | 'postgres'
/** Both engines in the long run, where what is stored is the matter. */
export const ENGINES: readonly Engine[] = LONG && postgresSkipReason === null ? ['sqlite', 'postgres'] : ['sqlite']

export type Running = ReturnType<Desk['start']>

interface DeskOptions {
  engine?: Engine
  /** Of the channels, `acme/forest` with `autoClose: on` unless given. */
  channels?: Record<string, unknown>[]
  /** Further keys of the configuration; objects are merged with the defaults. */
  config?: Record<string, unknown>
  /** Path of the SQLite file, if it is not in the folder of the configuration. */
  database?: string
}

type Row = Record<string, unknown>

/** A configuration and its database, on which processes of the built program run. */
export class Desk {
  /** Milliseconds by which the wall clock of its processes differs from that of the marketplace. */
  clockError = 0
  readonly file: string

  private constructor(
    readonly market: Marketplace,
    readonly folder: string,
    /** Path of the SQLite file. */
    readonly database: string,
    readonly sql: (text: string) => Promise<Row[]>,
    config: Record<string, unknown>,
  ) {
    this.file = join(folder, 'quotekeeper.yaml')
    writeFileSync(this.file, JSON.stringify(config, null, 1))
    this.#setClock()
  }

  static async open(market: Marketplace, options: DeskOptions = {}): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-net-'))
    onTestFinished(({ task }) => {
      if (task.result?.state !== 'fail') rmSync(folder, { recursive: true, force: true })
    })
    mkdirSync(join(folder, 'data'), { recursive: true })
    const file = options.database ?? join(folder, 'data', 'q.db')
    const { url, sql } = options.engine === 'postgres' ? await postgresSchema() : { url: file, sql: sqliteReader(file) }
    const defaults: Record<string, unknown> = {
      baseUrl: market.url,
      database: url,
      channels: options.channels ?? [channel(ACME, 'on')],
      requests: { concurrency: 4, perSecond: 5000, timeoutMs: 20_000, retries: 2 },
      reports: { directory: './reports' },
      web: { port: 0 },
    }
    for (const [key, value] of Object.entries(options.config ?? {})) {
      const merges = typeof value === 'object' && value !== null && !Array.isArray(value)
      defaults[key] = merges ? { ...(defaults[key] as object | undefined), ...value } : value
    }
    return new Desk(market, folder, file, sql, defaults)
  }

  /** Lets time pass for the marketplace and for all processes. */
  travel(ms: number): void {
    this.market.clockShift += ms
    this.#setClock()
  }

  /** Sets the wall clock of its processes, running ones included, against that of the marketplace. */
  setClockError(ms: number): void {
    this.clockError = ms
    this.#setClock()
  }

  #setClock(): void {
    writeFileSync(join(this.folder, 'clock'), String(this.market.clockShift + this.clockError))
  }

  /** Runs a command until it ends. */
  run(...args: string[]): Running['ended'] {
    return this.start(...args).ended
  }

  /** Runs a command that prints JSON. */
  async json<T = Row>(...args: string[]): Promise<T> {
    return JSON.parse((await this.run(...args, '--json')).out) as T
  }

  /** The only row, or the only value of it if it has one. */
  async value(text: string): Promise<unknown> {
    const [row] = await this.sql(text)
    return Object.values(row ?? {})[0]
  }

  /** Starts the service, and waits until its web server listens. */
  async startService(): Promise<Running & { url: string }> {
    const service = this.start('start')
    const url = await until(() => {
      const [, found] = /"url":"([^"]+)"/.exec(service.printed) ?? []
      if (found === undefined) throw new Error(`The service does not listen: ${service.printed}`)
      return found
    })
    return Object.assign(service, { url })
  }

  /** How many polls or closing rounds have ended. */
  runs(kind: 'rfqs' | 'close'): Promise<number> {
    return this.value(`select count(*) from runs where kind = '${kind}' and outcome is not null`) as Promise<number>
  }

  /** Starts a process of the program; it is killed when the test is finished. */
  start(...args: string[]) {
    const started = startProcess(['--import', CLOCK, PROGRAM, '--config', this.file, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        TMPDIR: this.folder,
        NO_COLOR: '1',
        NET_CLOCK: join(this.folder, 'clock'),
        ACME_KEY: KEYS.acme,
        BETA_KEY: KEYS.beta,
      },
    })
    return {
      /** How it ended, and what it printed. */
      ended: started.ended.then(() => {
        const { out, err, child } = started
        for (const key of Object.values(KEYS)) expect(out + err, 'no output has an API key').not.toContain(key)
        return { status: child.exitCode, signal: child.signalCode, out, err }
      }),
      /** What it has printed so far, on both outputs. */
      get printed() {
        return started.out + started.err
      },
      signal: started.signal,
    }
  }
}

/** A channel of the configuration. */
export const channel = (
  name: string,
  autoClose: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => {
  const [org = '', slug] = name.split('/')
  return { org, channel: slug, apiKey: { env: `${org.toUpperCase()}_KEY` }, autoClose, ...more }
}

/** Waits until a check stops throwing; only the time limit of the test ends it. */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 280_000, interval: 25 })

function sqliteReader(file: string): (text: string) => Promise<Row[]> {
  return async (text) => {
    const database = new Database(file, { readonly: true, fileMustExist: true })
    try {
      return database.prepare<[], Row>(text).all()
    } finally {
      database.close()
    }
  }
}
