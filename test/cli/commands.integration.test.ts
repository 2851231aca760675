import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/index.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { createCliFixture, createPolledFixture } from './cli-fixture.js'

const FOREST = { org: 'acme', channel: 'forest' } as const
const json = ({ out }: { out: string }) => JSON.parse(out)
const postsTo = ({ requests }: Sandbox) => requests.filter(({ method }) => method === 'POST').length

describe('sync', () => {
  it('polls the other channels when one fails, reports the failure, and exits with 1', async () => {
    const { quotekeeper, sandbox } = await createCliFixture()
    sandbox.faults.add({ channel: 'forest', times: Infinity, effect: { kind: 'status', status: 403 } })
    const { status, out, err } = await quotekeeper('sync', '--json')
    expect(status).toBe(1)
    const polls = JSON.parse(out) as { channel: string; kind: string; run: { outcome: string } }[]
    expect(polls.map(({ channel, kind, run }) => `${channel} ${kind} ${run.outcome}`)).toEqual([
      'acme/forest listings failed',
      'acme/forest rfqs failed',
      'acme/blue listings complete',
      'acme/blue rfqs complete',
    ])
    expect(err).toContain('acme/forest rfqs: ')
    expect(err).toContain('403')
  })

  it('never prints or stores an API key, even at log level trace', async () => {
    const { quotekeeper, sandbox, folder } = await createCliFixture()
    const result = await quotekeeper('--log-level', 'trace', 'sync')
    const key = sandbox.keys.acme as string
    expect(JSON.stringify(result)).not.toContain(key)
    expect(readFileSync(join(folder, 'data/quotekeeper.db')).includes(key)).toBe(false)
  })

  it('stops early on a signal and reports how many polls were not run', async () => {
    const { quotekeeperWith } = await createCliFixture()
    const { status, err } = await quotekeeperWith({ stop: AbortSignal.abort() }, 'sync')
    expect(status).toBe(1)
    expect(err).toContain('Stopped: 4 of 4 polls were not run.')
  })
})

describe('commands that read the database', () => {
  it('need no API key and no marketplace', async () => {
    const { quotekeeper, sandbox, folder } = await createPolledFixture()
    await sandbox.close()
    writeFileSync(join(folder, '.env'), '')
    for (const command of ['rfqs', 'listings', 'runs', 'closings', 'problems']) {
      const { status, out } = await quotekeeper(command, '--json')
      expect({ command, status }).toEqual({ command, status: 0 })
      expect(JSON.parse(out)).toBeInstanceOf(Array)
    }
  })
})

it('work needs a queue on Redis', async () => {
  const { quotekeeper } = await createCliFixture()
  expect(await quotekeeper('work')).toMatchObject({ status: 2, err: expect.stringContaining('queue: in-process') })
})

describe('close-expired', () => {
  it.each([
    ['with --dry-run', ['--dry-run'], {}, 0, 'would be closed'],
    ['in a channel with autoClose: dry-run', [], { autoClose: 'dry-run' }, 0, 'would be closed'],
    [
      'in a channel with autoClose: off',
      ['--channel', 'acme/blue'],
      { autoClose: 'off' },
      1,
      'acme/blue: skipped because autoClose is off',
    ],
    ['with closing.enabled: off', [], { more: 'closing: { enabled: off }\n' }, 1, 'closing.enabled is false'],
  ])('closes nothing %s', async (_how, args, options, status, message) => {
    const { quotekeeper, sandbox } = await createPolledFixture(options)
    expect(await quotekeeper('close-expired', ...args)).toMatchObject({ status, err: expect.stringContaining(message) })
    expect(postsTo(sandbox)).toBe(0)
  })

  it('reports an RFQ that cannot be read, each time, with exit status 1', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({
      channels: [{ ...FOREST, theme: 'forest', listings: 1, rfqs: 0 }],
    })
    const { id } = sandbox.world.addRfq(FOREST, { responseDueDate: '2026-03-01' })
    await quotekeeper('sync')
    sandbox.faults.add({ operation: 'readRfq', times: Infinity, effect: { kind: 'status', status: 500 } })
    for (let round = 0; round < ROUNDS; round++) {
      const { status, err } = await quotekeeper('close-expired', ...(round % 2 ? ['--dry-run'] : []))
      expect(status).toBe(1)
      expect(err).not.toContain('No RFQs are past due')
      expect(err).toMatch(new RegExp(`^acme/forest: RFQ .*${id}: status 500`, 'm'))
    }
    const [json] = JSON.parse((await quotekeeper('close-expired', '--json')).out)
    expect(json.failures).toEqual([expect.stringContaining('status 500')])
  })

  it('approves a plan of the one channel that is named', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ more: 'closing: { maxPerRun: 1 }\n' })
    for (let n = 0; n < 2; n++) sandbox.world.addRfq(FOREST, { responseDueDate: '2026-03-01' })
    const held = await quotekeeper('close-expired', '--channel', 'acme/forest')
    const plan = /--approve (\S+)/.exec(held.err)?.[1] as string
    const unnamed = await quotekeeper('close-expired', '--approve', plan)
    expect(unnamed).toMatchObject({ status: 2, err: expect.stringContaining('name it with --channel') })
    expect(postsTo(sandbox)).toBe(0)
    expect((await quotekeeper('close-expired', '--channel', 'acme/forest', '--approve', plan)).status).toBe(0)
  })

  it('closes nothing from --stop until --resume, whoever runs it', async () => {
    const { quotekeeper, sandbox } = await createCliFixture()
    const posts = () => postsTo(sandbox)
    await quotekeeper('sync')
    for (const args of [
      ['--stop', ' '],
      ['--stop', 'x', '--resume'],
      ['--resume', '--dry-run'],
      ['--resume', '--retry', '1001', '--by', 'Anna'],
      ['--stop', 'x', '--channel', 'acme/forest'],
      ['--by', 'Anna'],
    ])
      expect((await quotekeeper('close-expired', ...args)).status, args.join(' ')).toBe(2)
    const stopped = await quotekeeper('close-expired', '--stop', 'wrong prices', '--by', 'Anna', '--json')
    expect(stopped.status).toBe(0)
    expect(json(stopped)).toMatchObject({ stopped: { by: 'Anna', reason: 'wrong prices' } })
    const held = await quotekeeper('close-expired')
    expect(held).toMatchObject({ status: 1, err: expect.stringMatching(/stopped by Anna at .* \(wrong prices\)/) })
    expect(posts()).toBe(0)
    const again = await quotekeeper('close-expired', '--stop', 'an audit', '--by', 'Carla')
    expect(again.err).toMatch(/^Closing is stopped .* \(an audit; already stopped by Anna at .*: wrong prices\)\./)
    const resumed = await quotekeeper('close-expired', '--resume', '--by', 'Ben')
    expect(resumed.status).toBe(0)
    expect(resumed.err).toMatch(
      /^Stopped by Carla on .* \(an audit; .* Anna at .*: wrong prices\); ended now by Ben\.\n$/,
    )
    expect((await quotekeeper('close-expired', '--resume')).err).toContain('Closing was not stopped')
    await quotekeeper('close-expired')
    expect(posts()).toBeGreaterThan(0)
  })

  it('names what else stops closing if --stop cannot be recorded, also where no file can be created', async () => {
    const { quotekeeper, folder } = await createCliFixture({ more: 'database: ./data/none.db\n' })
    const { status, err } = await quotekeeper('close-expired', '--stop', 'wrong prices')
    expect(status).toBe(1)
    expect(err.replaceAll(/\s+/g, ' ')).toMatch(/order to stop closing was NOT recorded/)
    expect(err).toContain(`create the file ${join(folder, 'data', 'closing.stop')}; if that is not possible`)
    expect(err).toContain(`closing.enabled: false in ${join(folder, 'quotekeeper.yaml')}`)
  })
})

it('closings --verify exits with 1 if a decision was changed', async () => {
  const { quotekeeper, folder } = await createPolledFixture()
  await quotekeeper('close-expired')
  expect(await quotekeeper('closings', '--verify')).toMatchObject({ status: 0 })
  const db = new Database(join(folder, 'data/quotekeeper.db'))
  db.exec(`drop trigger decisions_immutable; update close_decisions set reason = 'other' where id = 1`)
  db.close()
  const { status, out } = await quotekeeper('closings', '--verify', '--json')
  expect([status, JSON.parse(out)]).toMatchObject([1, { brokenAt: 1 }])
})

describe('report', () => {
  it('writes the workbook of an RFQ to the default path, or to a new file with --out', async () => {
    const { quotekeeper, folder } = await createPolledFixture()
    const { out } = await quotekeeper('report', '1002', '--channel', 'acme/forest')
    expect(out).toBe(`${join(folder, 'data/reports/acme_forest/rfq-1002_asof-20260310T0930Z.xlsx')}\n`)
    expect(readFileSync(out.trim()).subarray(0, 2).toString()).toBe('PK')
    const toFile = ['report', '1002', '--channel', 'acme/forest', '--out', 'mine.xlsx']
    expect((await quotekeeper(...toFile)).out).toBe(`${join(folder, 'mine.xlsx')}\n`)
    expect(await quotekeeper(...toFile)).toMatchObject({ status: 1, err: expect.stringContaining('already exists') })
  })

  it('without an RFQ, writes the overview of a channel, or of all in one workbook', async () => {
    const { quotekeeper } = await createPolledFixture()
    const nameOf = async (...which: string[]) => basename((await quotekeeper('report', ...which)).out.trimEnd())
    expect(await nameOf('--channel', 'acme/blue')).toBe('channel-acme-blue_asof-20260310T0930Z.xlsx')
    expect(await nameOf('--all')).toBe('channels_asof-20260310T0930Z.xlsx')
    for (const [args, message] of [
      [[], 'choose --all, or one channel with --channel: acme/forest, acme/blue'],
      [['--volume', '5'], '--volume is about one RFQ: name it'],
    ] as const)
      expect(await quotekeeper('report', ...args)).toMatchObject({ status: 2, err: expect.stringContaining(message) })
  })
})

describe('compare', () => {
  it('uses the configured settings, or those given with --set', async () => {
    const more = 'reports: { discountRate: 0, volume: 5000 }\n'
    const { quotekeeper } = await createPolledFixture({ more })
    const compared = async (...set: string[]) =>
      json(await quotekeeper('compare', '1002', '--channel', 'acme/forest', '--json', ...set)).settings
    expect(await compared()).toMatchObject({ discountRate: 0, volume: 5000, awardTolerance: 0.02 })
    const set = ['--set', 'discountRate=0.5', '--set', 'volume=', '--set', 'requirements.volumeMax=off']
    expect(await compared(...set)).toMatchObject({
      discountRate: 0.5,
      volume: null,
      requirements: { volumeMax: 'off' },
    })
    const wrong = await quotekeeper('compare', '1002', '--set', 'requirements.priceMax=must')
    expect(wrong).toMatchObject({ status: 2, err: expect.stringContaining('expected one of "hard"|"advisory"|"off"') })
  })
})

it('close-expired sends a close that was refused again only with --retry, by name', async () => {
  const { quotekeeper, sandbox } = await createCliFixture({
    channels: [{ ...FOREST, theme: 'forest', listings: 1, rfqs: 0 }],
  })
  const { id } = sandbox.world.addRfq(FOREST, { responseDueDate: '2026-03-01' })
  sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 400 } })
  for (const args of [[], [], ['--dry-run'], ['--json']])
    expect(await quotekeeper('close-expired', ...args)).toMatchObject({
      ...{ status: 1, err: expect.stringMatching(/0 closed, 1 refused\n$/) },
    })
  expect(postsTo(sandbox)).toBe(1)
  const retried = await quotekeeper('close-expired', '--retry', id, '--by', 'Anna Smith')
  expect(retried).toMatchObject({ status: 0, err: expect.stringContaining('1 closed') })
  const [newest] = json(await quotekeeper('closings', '--rfq', id, '--json'))
  expect(newest).toMatchObject({ outcome: 'closed', approvedBy: 'Anna Smith' })
  const again = await quotekeeper('close-expired', '--retry', id)
  expect(again).toMatchObject({ status: 1, err: expect.stringContaining('has no refused, unknown or failed close') })
  expect(postsTo(sandbox)).toBe(2)
})
