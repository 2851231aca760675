import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FailedError } from '../../src/cli/cli-error.js'
import { eventually } from '../helpers/eventually.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { createCliFixture, createPolledFixture } from './cli-fixture.js'

const json = ({ out }: { out: string }) => JSON.parse(out)

describe('sync', () => {
  it('polls every channel and lists each run', async () => {
    const { quotekeeper } = await createCliFixture()
    const { status, out, err } = await quotekeeper('sync')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    for (const run of ['acme/forest +listings', 'acme/forest +rfqs', 'acme/blue +listings', 'acme/blue +rfqs']) {
      expect(out).toMatch(new RegExp(`${run} .* complete`))
    }
    const rows = json(await quotekeeper('rfqs', '--json'))
    expect(rows).toHaveLength(9)
  })

  it('reads only changed documents again, and all documents with --full', async () => {
    const { quotekeeper, sandbox } = await createPolledFixture()
    const requestsOf = async (...args: string[]) => {
      const before = sandbox.requests.length
      await quotekeeper(...args)
      return sandbox.requests.length - before
    }
    const again = await requestsOf('sync', '--only', 'rfqs')
    const full = await requestsOf('sync', '--only', 'rfqs', '--full')
    expect(full).toBe(2 + 9 + 15)
    expect(again).toBeLessThan(full)
    expect(await requestsOf('sync', '--only', 'listings', '--channel', 'acme/blue')).toBe(1)
  })

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

  it('rejects a channel that is not configured and suggests the closest one', async () => {
    const { quotekeeper } = await createCliFixture()
    const { status, err } = await quotekeeper('sync', '--channel', 'acme/forrest')
    expect(status).toBe(2)
    expect(err).toContain('Did you mean acme/forest?')
  })

  it('never prints or stores an API key, even at log level trace', async () => {
    const { quotekeeper, sandbox, folder } = await createCliFixture()
    const result = await quotekeeper('--log-level', 'trace', 'sync')
    const key = sandbox.keys.acme as string
    expect(JSON.stringify(result)).not.toContain(key)
    expect(readFileSync(join(folder, 'data/quotekeeper.db')).includes(key)).toBe(false)
  })

  it('reports which environment variable is not set', async () => {
    const { quotekeeper, folder } = await createCliFixture()
    writeFileSync(join(folder, '.env'), '')
    const { status, err } = await quotekeeper('sync')
    expect(status).toBe(2)
    expect(err).toContain('ACME_API_KEY is not set')
    expect(err).toContain('acme/forest')
    expect(err).toContain('acme/blue')
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

  it('suggest `quotekeeper sync` if there is no database', async () => {
    const { quotekeeper, folder } = await createCliFixture({ hasDatabase: false })
    const { status, out, err } = await quotekeeper('rfqs')
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toContain('quotekeeper sync')
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })
})

describe('check', () => {
  it('reports each failure with a remedy', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ more: 'queue: redis://127.0.0.1:1\n' })
    delete sandbox.keys.acme
    const [{ status, out, err }, work] = await Promise.all([quotekeeper('check', '--json'), quotekeeper('work')])
    expect(status).toBe(1)
    const findings = JSON.parse(out) as { what: string; ok: boolean; found: string }[]
    expect(findings.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual([
      'queue',
      'acme/forest listings',
      'acme/forest RFQs',
      'acme/blue listings',
      'acme/blue RFQs',
    ])
    expect(err).toContain('queue: in-process')
    expect(err).toContain('The API key is not accepted: correct or renew it')
    expect(err).not.toContain('bug in Quotekeeper')
    expect(err).not.toContain('ECONNREFUSED"')
    expect(work).toMatchObject({ status: 1, err: expect.stringContaining('redis://127.0.0.1:1') })
    expect(work.err).not.toContain('    at ')
  })
})

describe('close-expired', () => {
  const pastDue = (out: string) =>
    (JSON.parse(out) as { state: string; due: string }[]).filter(
      ({ state, due }) => state === 'open' && due < '2026-03-10',
    )

  it('with --dry-run lists what it would close, each time it runs, and sends nothing', async () => {
    const { quotekeeper, sandbox } = await createCliFixture()
    const first = await quotekeeper('close-expired', '--dry-run')
    const second = await quotekeeper('close-expired', '--dry-run')
    const due = pastDue((await quotekeeper('rfqs', '--json')).out)
    expect(due.length).toBeGreaterThan(0)
    for (const { status, out } of [first, second]) {
      expect(status).toBe(0)
      expect(out.match(/would-close/g)).toHaveLength(due.length)
    }
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('that is stopped while it reads the list closes nothing, and does not report that nothing is past due', async () => {
    const { quotekeeperWith, sandbox } = await createPolledFixture()
    for (let round = 0; round < ROUNDS; round++) {
      const controller = new AbortController()
      const fault = sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'hang' } })
      const requests = sandbox.requests.length
      const closing = quotekeeperWith({ stop: controller.signal }, 'close-expired', '--channel', 'acme/forest')
      await eventually(() => expect(sandbox.requests.length).toBeGreaterThan(requests))
      controller.abort(new FailedError('stopped by SIGINT'))
      const { status, out, err } = await closing
      fault.remove()
      expect(status).toBe(1)
      expect(err).toContain('The run was stopped')
      expect(out + err).not.toContain('No RFQs are past due')
    }
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('skips a channel with autoClose: off', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ autoClose: 'off' })
    const { status, err } = await quotekeeper('close-expired', '--channel', 'acme/blue')
    expect(status).toBe(1)
    expect(err).toContain('acme/blue: skipped because autoClose is off')
    expect(err).toContain('No RFQs were evaluated.')
    expect(err).not.toContain('past due')
    expect(sandbox.requests).toEqual([])
  })

  it('closes nothing in a channel with autoClose: dry-run', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ autoClose: 'dry-run' })
    expect((await quotekeeper('close-expired')).out).toContain('would-close')
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('reports an RFQ that cannot be read, each time, with exit status 1', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({
      channels: [{ org: 'acme', channel: 'forest', theme: 'forest', listings: 1, rfqs: 0 }],
    })
    const { id } = sandbox.world.addRfq({ org: 'acme', channel: 'forest' }, { responseDueDate: '2026-03-01' })
    await quotekeeper('sync')
    const fault = sandbox.faults.add({
      operation: 'readRfq',
      times: Number.POSITIVE_INFINITY,
      effect: { kind: 'status', status: 500 },
    })
    for (let round = 0; round < ROUNDS; round++) {
      const { status, err } = await quotekeeper('close-expired', ...(round % 2 ? ['--dry-run'] : []))
      expect(status).toBe(1)
      expect(err).not.toContain('No RFQs are past due')
      expect(err).toMatch(new RegExp(`^acme/forest: RFQ .*${id}: status 500`, 'm'))
    }
    const [json] = JSON.parse((await quotekeeper('close-expired', '--json')).out)
    expect(json.failures).toEqual([expect.stringContaining('status 500')])
    fault.remove()
    expect((await quotekeeper('close-expired')).status).toBe(0)
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('approves a plan of the one channel that is named', async () => {
    const { quotekeeper, sandbox } = await createCliFixture({ more: 'closing: { maxPerRun: 1 }\n' })
    for (let n = 0; n < 2; n++)
      sandbox.world.addRfq({ org: 'acme', channel: 'forest' }, { responseDueDate: '2026-03-01' })
    const held = await quotekeeper('close-expired', '--channel', 'acme/forest')
    const plan = /--approve (\S+)/.exec(held.err)?.[1] as string
    const unnamed = await quotekeeper('close-expired', '--approve', plan)
    expect(unnamed).toMatchObject({ status: 2, err: expect.stringContaining('name it with --channel') })
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
    expect((await quotekeeper('close-expired', '--channel', 'acme/forest', '--approve', plan)).status).toBe(0)
  })

  it.each(['closing: { enabled: off }\n', 'stop file'])(
    'closes nothing while the kill switch is on: %s',
    async (how) => {
      const { quotekeeper, sandbox, folder } = await createPolledFixture({ more: how === 'stop file' ? '' : how })
      if (how === 'stop file') writeFileSync(join(folder, 'data/closing.stop'), '')
      const { status, err } = await quotekeeper('close-expired')
      expect(status).toBe(1)
      expect(err).toContain(how === 'stop file' ? 'closing.stop exists' : 'closing.enabled is false')
      expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
    },
  )

  it('closes nothing from --stop until --resume, whoever runs it', async () => {
    const { quotekeeper, sandbox } = await createCliFixture()
    const posts = () => sandbox.requests.filter(({ method }) => method === 'POST').length
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
    expect([stopped.status, JSON.parse(stopped.out)]).toMatchObject([
      0,
      { stopped: { by: 'Anna', reason: 'wrong prices' } },
    ])
    const held = await quotekeeper('close-expired')
    expect([held.status, held.err, posts()]).toEqual([
      1,
      expect.stringMatching(/stopped by Anna at .* \(wrong prices\)/),
      0,
    ])
    const check = await quotekeeper('check')
    expect([check.out, check.err]).toEqual([
      expect.stringContaining('stopped by Anna at'),
      expect.stringMatching(/^(?!.*delete the file).*run quotekeeper close-expired --resume/s),
    ])
    const again = await quotekeeper('close-expired', '--stop', 'an audit', '--by', 'Carla')
    expect(again.err).toMatch(/^It was stopped by Anna on .* \(wrong prices\) already\.\nClosing is stopped/)
    const resumed = await quotekeeper('close-expired', '--resume', '--by', 'Ben')
    expect([resumed.status, resumed.err]).toEqual([
      0,
      expect.stringMatching(
        /^Stopped by Anna on .*ended now by Ben\.\nStopped by Carla on .*\(an audit\); ended now by Ben\.\n$/,
      ),
    ])
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

  it('says why an RFQ has no decision when the clocks ended the last closing round before it', async () => {
    const { quotekeeper, sandbox } = await createCliFixture()
    for (let number = 2601; number <= 2603; number++)
      sandbox.world.addRfq({ org: 'acme', channel: 'forest' }, { number, responseDueDate: '2026-03-03' })
    sandbox.faults.add({ times: Number.POSITIVE_INFINITY, effect: { kind: 'date', skewMs: -3_600_000 } })
    expect((await quotekeeper('close-expired')).status).toBe(1)
    const { closings } = json(await quotekeeper('today', '--json')) as { closings: { message: string }[] }
    expect(closings[0]?.message).toContain(
      "The clocks differ, so nothing is closed until they agree: the marketplace's clock is 3599 s",
    )
    let undecided = 0
    for (const number of ['2601', '2602', '2603']) {
      const { out, err } = await quotekeeper('closings', '--rfq', number, '--channel', 'acme/forest')
      expect(err).toMatch(/^last closing round \d\d:\d\d UTC, .+; partial: No RFQ was closed: .+ 3599 s behind ours/m)
      if (out !== '') continue
      undecided++
    }
    expect(undecided).toBeGreaterThan(1)
  })
})

describe('report', () => {
  it('writes the workbook of an RFQ to the default path, or to a new file with --out', async () => {
    const { quotekeeper, folder } = await createPolledFixture()
    const { status, out, err } = await quotekeeper('report', '1002', '--channel', 'acme/forest')
    expect(status).toBe(0)
    expect(out).toBe(`${join(folder, 'data/reports/acme_forest/rfq-1002_asof-20260310T0930Z.xlsx')}\n`)
    expect(readFileSync(out.trim()).subarray(0, 2).toString()).toBe('PK')
    const shown = await quotekeeper('compare', '1002', '--channel', 'acme/forest')
    expect(shown.out.replace(/\s+/g, ' ')).toContain(err.trimEnd().replaceAll('\n', ' '))
    const toFile = ['report', '1002', '--channel', 'acme/forest', '--out', 'mine.xlsx']
    expect((await quotekeeper(...toFile)).out).toBe(`${join(folder, 'mine.xlsx')}\n`)
    expect(statSync(join(folder, 'mine.xlsx')).mode & 0o777).toBe(0o600)
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
    expect(wrong).toMatchObject({ status: 2, err: expect.stringContaining('one of hard, advisory, off') })
  })
})

describe('files written by a command', () => {
  it('are readable by their owner only', async () => {
    const { quotekeeper, folder } = await createCliFixture()
    await quotekeeper('sync')
    for (const file of readdirSync(join(folder, 'data'))) {
      expect({ file, mode: statSync(join(folder, 'data', file)).mode & 0o077 }).toEqual({ file, mode: 0 })
    }
  })
})

describe('close-expired with closes that fail', () => {
  /** The first RFQ to be closed is refused, the second gets no certain answer. */
  const openFailingFixture = async () => {
    const fixture = await createCliFixture({ more: 'closing: { maxPerRun: 9 }\n', channels: FOREST })
    const { quotekeeper, sandbox } = fixture
    for (let n = 0; n < 2; n++) {
      sandbox.world.addRfq({ org: 'acme', channel: 'forest' }, { responseDueDate: '2026-03-01' })
    }
    await quotekeeper('sync')
    const due =
      (JSON.parse((await quotekeeper('close-expired', '--dry-run', '--json')).out) as Dry[])[0]?.closings ?? []
    const [refused, failed] = due
    for (const [rfqId, effect] of [
      [refused?.rfqId, { kind: 'status', status: 400 }],
      [failed?.rfqId, { kind: 'status', status: 200, body: { ok: true } }],
    ] as const) {
      sandbox.faults.add({ operation: 'closeRfq', times: 99, effect, ...(rfqId && { rfqId }) })
    }
    const posts = () => sandbox.requests.filter(({ method }) => method === 'POST').length
    const lastLine = (err: string) => err.trimEnd().split('\n').at(-1)
    return { ...fixture, posts, lastLine, total: due.length, refused: String(refused?.rfqNumber) }
  }
  const FOREST = [
    { org: 'acme', channel: 'forest', theme: 'forest' as const, listings: 4, rfqs: 12, responsesPerRfq: 1 },
  ]
  interface Dry {
    closings: { rfqId: string; rfqNumber: number }[]
  }

  it('exits 1 and counts them in its last line, in this round and in later ones', async () => {
    const { quotekeeper, posts, lastLine, total } = await openFailingFixture()
    expect(total).toBeGreaterThan(2)
    const first = await quotekeeper('close-expired')
    expect(first.status).toBe(1)
    expect(lastLine(first.err)).toBe(`${total - 2} closed, 1 refused, 1 failed`)
    const sent = posts()
    for (const args of [[], ['--dry-run'], ['--json']]) {
      const again = await quotekeeper('close-expired', ...args)
      expect(again.status).toBe(1)
      expect(lastLine(again.err)).toBe('0 closed, 1 refused, 1 failed')
      expect(again.err).toContain('refused by the marketplace since 2026-03-10')
    }
    expect(posts()).toBe(sent)
    for (const outcome of ['refused', 'failed'])
      expect(JSON.parse((await quotekeeper('closings', '--outcome', outcome, '--json')).out)).toHaveLength(1)
    expect((await quotekeeper('runs', '--kind', 'close', '--limit', '1')).out).toContain('partial')
  })

  it('sends one again with --retry, by name, and refuses an RFQ without such a close', async () => {
    const { quotekeeper, sandbox, posts, refused } = await openFailingFixture()
    await quotekeeper('close-expired')
    const sent = posts()
    sandbox.faults.clear()
    const retried = await quotekeeper('close-expired', '--retry', refused, '--by', 'Anna Smith')
    expect(posts()).toBe(sent + 1)
    expect(retried.err).toContain('1 closed, 1 failed')
    const [newest] = JSON.parse((await quotekeeper('closings', '--rfq', refused, '--json')).out)
    expect(newest).toMatchObject({ outcome: 'closed', approvedBy: 'Anna Smith' })
    expect((await quotekeeper('closings', '--explain', String(newest.id))).out).toContain('Approved by  Anna Smith')
    const again = await quotekeeper('close-expired', '--retry', refused)
    expect(again).toMatchObject({ status: 1 })
    expect(again.err).toContain('has no refused, unknown or failed close to retry. Its state is closed.')
    expect(await quotekeeper('close-expired', '--by', 'Anna')).toMatchObject({ status: 2 })
    expect(await quotekeeper('close-expired', '--retry', 'none such')).toMatchObject({ status: 2 })
  })
})
