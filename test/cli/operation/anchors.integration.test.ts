import { readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAnchor } from '../../../src/anchors/anchor.js'
import { recomputeChain, tamper } from '../../anchors/decision-log.js'
import { eventually } from '../../helpers/eventually.js'
import { createCliFixture, createPolledFixture } from '../cli-fixture.js'

const database = (folder: string) => join(folder, 'data/quotekeeper.db')

describe('quotekeeper closings --anchor', () => {
  it('appends to a file with which --verify finds a log that was rewritten whole', async () => {
    const { folder, quotekeeper } = await createPolledFixture()
    await quotekeeper('close-expired')
    const file = join(folder, 'anchors.jsonl')
    const { status, out } = await quotekeeper('closings', '--anchor', file)
    expect({ status, out }).toEqual({
      status: 0,
      out: expect.stringMatching(/^\d+ closings anchored in .*anchors\.jsonl; newest hash [0-9a-f]{64}\n$/),
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await quotekeeper('close-expired') // The same decisions are only counted.
    const verify = () => quotekeeper('closings', '--verify', '--anchors', 'anchors.jsonl')
    expect(await verify()).toMatchObject({ status: 0, out: expect.stringContaining('1 of 1 anchors fit') })
    tamper(database(folder), (db) => {
      db.exec("update close_decisions set reason = 'nothing' where id = 1")
      recomputeChain(db)
    })
    expect(await quotekeeper('closings', '--verify')).toMatchObject({ status: 0 })
    expect(await verify()).toMatchObject({ status: 1, out: expect.stringContaining('The anchor in line 1') })
    const json = await quotekeeper('closings', '--verify', '--anchors', file, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ brokenAt: null, anchors: { ok: false, mismatch: { line: 1 } } })
    tamper(database(folder), (db) => db.exec("update close_decisions set reason = 'again' where id = 1"))
    expect(await quotekeeper('closings', '--anchor', 'new.jsonl')).toMatchObject({
      status: 1,
      err: expect.stringContaining('no anchor was written'),
    })
  })

  it('refuses wrong usage and every file that Quotekeeper needs', async () => {
    const { folder, quotekeeper } = await createPolledFixture()
    const before = readFileSync(join(folder, 'quotekeeper.yaml'), 'utf8')
    for (const args of [
      ['--anchors', 'a'],
      ['--anchor', 'a', '--verify'],
      ['--anchor', 'quotekeeper.yaml'],
      ['--anchor', 'data/quotekeeper.db'],
      ['--anchor', '.env'],
      ['--anchor', 'http://audit.test/secret-token'],
    ]) {
      const { status, err } = await quotekeeper('closings', ...args)
      expect({ args, status }).toEqual({ args, status: 2 })
      expect(err).not.toContain('secret-token')
    }
    expect(readFileSync(join(folder, 'quotekeeper.yaml'), 'utf8')).toBe(before)
    expect(await quotekeeper('closings', '--verify', '--anchors', 'none')).toMatchObject({
      status: 1,
      err: expect.stringContaining('There is no file'),
    })
  })
})

describe('configured anchors', () => {
  it('show after a restore which decisions are missing, unless they were carried over', async () => {
    const { folder, quotekeeper } = await createPolledFixture({ more: 'anchors: { to: anchors.jsonl }\n' })
    await quotekeeper('backup', 'backup.db')
    await quotekeeper('close-expired')
    await quotekeeper('closings', '--anchor', 'anchors.jsonl')
    const mergedClosings = await quotekeeper('restore', 'backup.db')
    expect(mergedClosings.err).toContain('Carried over from the replaced database')
    expect(mergedClosings.err).not.toContain('anchors')
    for (const suffix of ['', '-wal', '-shm']) rmSync(database(folder) + suffix, { force: true })
    expect(await quotekeeper('restore', 'backup.db')).toMatchObject({
      status: 0,
      err: expect.stringMatching(/anchors\.jsonl do not fit the restored database\.\n.*decisions 1 to \d+ are missing/),
    })
  })

  it('are written by start, and a failure is heard by check', async () => {
    const requests: string[] = []
    let status = 500
    const server = createServer((request, response) => {
      request.on('data', (part) => requests.push(String(part)))
      request.on('end', () => response.writeHead(status).end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`
    const more = `anchors: { to: "${url}" }\nweb: { port: 0 }\n`
    const { quotekeeper, quotekeeperWith } = await createCliFixture({ autoClose: 'off', more })
    let log = ''
    const stop = new AbortController()
    const out = (text: string) => {
      log += text
    }
    const running = quotekeeperWith({ stop: stop.signal, out }, 'start')
    await eventually(() => expect(log).toContain('anchor failed; it will be retried'))
    stop.abort(new Error('stopped'))
    await running
    expect(requests).not.toEqual([])
    const failing = await quotekeeper('check')
    expect(failing.status).toBe(1)
    expect(failing.out.replace(/\s+/g, ' ')).toMatch(/anchors +FAILED +the last anchor failed.*status 500/)
    expect(log + failing.out + failing.err).not.toContain('secret-path')
    status = 200
    expect((await quotekeeper('closings', '--anchor', url)).status).toBe(0)
    expect(parseAnchor(requests.at(-1) ?? '')).toMatchObject({ decisions: 0 })
  })

  it('that check cannot send name the setting to correct', async () => {
    const more = 'anchors: { to: "http://127.0.0.1:1/secret-path" }\n'
    const { quotekeeper } = await createCliFixture({ autoClose: 'off', more })
    const { status, out, err } = await quotekeeper('check')
    expect(status).toBe(1)
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /anchors +FAILED +no connection to 127\.0\.0\.1:1 .*; check anchors\.to, the network and the firewall/,
    )
    expect(out + err).not.toContain('secret-path')
  })
})
