// How long the commands `--help` and `rfqs` take, on a small database and on one of 1 GB, beside starting Node.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { dist, inFolder, median, times } from './bench-process.mjs'

const program = fileURLToPath(new URL('src/cli/main.js', dist))
const RFQS = 500
const BODY_BYTES = 8000

/** Writes versions of responses until the file has about so many bytes. */
async function fill(path, bytes) {
  const { openStore } = await import(new URL('src/store/sqlite/store.js', dist))
  const now = new Date('2026-03-02T12:00:00.000Z')
  const store = await openStore({ path })
  const run = await store.beginRun({ channel: 'bench/large', kind: 'rfqs', now })
  for (let index = 0; index < RFQS; index++) {
    const body = { id: `rfq-${index}`, number: index, title: `RFQ ${index}`, state: 'open', responses: [] }
    const rfq = { id: body.id, body, valid: true, problems: [] }
    const read = { shape: 'full', responses: [], responsesComplete: true, readAt: now }
    await store.recordRfq(run, { rfq, ...read }, now)
  }
  await store.close()
  const db = new Database(path)
  const columns = 'channel, kind, rfq_id, id, version, content_hash, observed_at, run_id, valid, shape, body'
  const insert = db.prepare(
    `insert into versions (${columns}) values ('bench/large', 'response', ?, ?, ?, '', ?, ?, 1, 'full', ?)`,
  )
  const entity =
    db.prepare(`insert into documents (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at,
    last_read_at, changed_at) values ('bench/large', 'response', ?, ?, 20, ?, ?, ?, ?)`)
  const stamp = now.toISOString()
  const body = JSON.stringify({ filler: 'x'.repeat(BODY_BYTES) })
  const responses = Math.round(bytes / BODY_BYTES / 20)
  const write = db.transaction((index) => {
    const place = [`rfq-${index % RFQS}`, `response-${index}`]
    for (let version = 1; version <= 20; version++) insert.run(...place, version, stamp, run.id, body)
    entity.run(...place, stamp, stamp, stamp, stamp)
  })
  for (let index = 0; index < responses; index++) write(index)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

/** The section of docs/BENCHMARKS.md. */
export function startupSection(rounds) {
  return inFolder(async (folder) => {
    const configure = async (name, bytes) => {
      const database = join(folder, `${name}.db`)
      await fill(database, bytes)
      const config = join(folder, `${name}.yaml`)
      const channels = '  - org: bench\n    channel: large\n    apiKey: { env: BENCH_KEY }\n    autoClose: "off"\n'
      writeFileSync(config, `baseUrl: http://127.0.0.1:9\ndatabase: ${database}\nchannels:\n${channels}`, {
        mode: 0o600,
      })
      return config
    }
    const [small, large] = [await configure('small', 1_000_000), await configure('large', 1_000_000_000)]
    const run = (...args) => {
      const began = performance.now()
      const { status, stderr } = spawnSync(process.execPath, args, {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        env: { ...process.env, BENCH_KEY: 'the key of the bench' },
      })
      if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
      return (performance.now() - began) / 1000
    }
    const measured = {
      'node -e 0': ['-e', '0'],
      'quotekeeper --help': [program, '--help'],
      'quotekeeper rfqs, 1 MB': [program, '--config', small, 'rfqs', '--json'],
      'quotekeeper rfqs, 1 GB': [program, '--config', large, 'rfqs', '--json'],
    }
    const rows = []
    for (const [name, args] of Object.entries(measured)) {
      rows.push({ name, seconds: median(await times(rounds, () => run(...args))) })
    }
    const [base] = rows
    return {
      title: 'Start-up',
      text: `Whole time of commands. Both databases have ${RFQS} RFQs; the larger one has 20 versions of many responses.`,
      header: ['', 'whole time', 'beside Node'],
      rows: rows.map(({ name, seconds }) => [
        name,
        `${seconds.toFixed(2)} s`,
        `${(seconds / base.seconds).toFixed(1)} ×`,
      ]),
      chart: {
        title: 'Whole time beside starting Node',
        bars: rows.map(({ name, seconds }) => [name, seconds / base.seconds]),
      },
    }
  })
}
