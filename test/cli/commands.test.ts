import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ExcelJS from 'exceljs'
import { describe, expect, it } from 'vitest'
import { NOW, openDesk } from './cli-fixture.js'

const json = ({ out }: { out: string }) => JSON.parse(out)

describe('sync', () => {
  it('polls every channel and tells each run', async () => {
    const { quotekeeper } = await openDesk()
    const { status, out, err } = await quotekeeper('sync')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    for (const run of ['acme/forest +listings', 'acme/forest +rfqs', 'acme/blue +listings', 'acme/blue +rfqs']) {
      expect(out).toMatch(new RegExp(`${run} .* complete`))
    }
    const rows = json(await quotekeeper('rfqs', '--json'))
    expect(rows).toHaveLength(9)
  })

  it('reads no document again that did not change, but everything with --full', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    await quotekeeper('sync')
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

  it('goes on with the other channels when one fails, names the failure, and ends with 1', async () => {
    const { quotekeeper, sandbox } = await openDesk()
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

  it('refuses a channel that is not configured, with the nearest that is', async () => {
    const { quotekeeper } = await openDesk()
    const { status, err } = await quotekeeper('sync', '--channel', 'acme/forrest')
    expect(status).toBe(2)
    expect(err).toContain('did you mean acme/forest?')
  })

  it('shows no key, whatever the log level', async () => {
    const { quotekeeper, sandbox, folder } = await openDesk()
    const told = await quotekeeper('--log-level', 'trace', 'sync')
    const key = sandbox.keys.acme as string
    expect(JSON.stringify(told)).not.toContain(key)
    expect(readFileSync(join(folder, 'data/quotekeeper.db')).includes(key)).toBe(false)
  })

  it('says which variable is not set', async () => {
    const { quotekeeper, folder } = await openDesk()
    writeFileSync(join(folder, '.env'), '')
    const { status, err } = await quotekeeper('sync')
    expect(status).toBe(2)
    expect(err).toContain('ACME_API_KEY is not set')
    expect(err).toContain('acme/forest')
    expect(err).toContain('acme/blue')
  })

  it('ends early when asked to, and says what it left out', async () => {
    const { quotekeeperWith } = await openDesk()
    const { status, err } = await quotekeeperWith({ stop: AbortSignal.abort() }, 'sync')
    expect(status).toBe(1)
    expect(err).toContain('Stopped: 4 of 4 polls were not run.')
  })
})

describe('the reading commands', () => {
  it('need no API key and no marketplace', async () => {
    const { quotekeeper, sandbox, folder } = await openDesk()
    await quotekeeper('sync')
    await sandbox.close()
    writeFileSync(join(folder, '.env'), '')
    for (const command of ['rfqs', 'listings', 'runs', 'decisions', 'problems']) {
      const { status, out } = await quotekeeper(command, '--json')
      expect({ command, status }).toEqual({ command, status: 0 })
      expect(JSON.parse(out)).toBeInstanceOf(Array)
    }
  })

  it('say how to begin where there is no database', async () => {
    const { quotekeeper, folder } = await openDesk()
    const { status, out, err } = await quotekeeper('rfqs')
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toContain('quotekeeper sync')
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  it('show what the marketplace holds', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    await quotekeeper('sync')
    const [rfq] = json(await quotekeeper('rfqs', '--channel', 'acme/blue', '--state', 'open', '--json'))
    const served = sandbox.world
      .channel({ org: 'acme', channel: 'blue' })
      ?.rfqs.find(({ terms }) => terms.id === rfq.id)
    expect(rfq).toMatchObject({ channel: 'acme/blue', title: served?.terms.title, offers: 1, version: 1, valid: true })
    const offers = json(await quotekeeper('offers', rfq.id, '--json'))
    const sent = served?.responses[0]
    expect(offers).toEqual([
      expect.objectContaining({
        id: sent?.id,
        rfqId: rfq.id,
        projectDeveloperName: sent?.projectDeveloperName,
        totalPrice: sent?.offer.totalPrice,
        pricePerTonne: (sent?.offer.totalPrice as number) / (sent?.offer.totalVolume as number),
        body: sent,
      }),
    ])
    const listings = json(await quotekeeper('listings', '--channel', 'acme/forest', '--json'))
    expect(listings).toHaveLength(4)
  })

  it('tell of a number that two channels have, and take --channel', async () => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const both = await quotekeeper('offers', '1001')
    expect(both.status).toBe(2)
    expect(both.err).toContain('"1001" matches 2 RFQs; choose a channel with --channel')
    expect((await quotekeeper('offers', '1001', '--channel', 'acme/blue')).status).toBe(0)
  })

  it('tell of a number that two RFQs of one channel have, and take the id', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    const twin = sandbox.world.addRfq({ org: 'acme', channel: 'blue' }, { number: 1001 })
    await quotekeeper('sync')
    const both = await quotekeeper('report', '1001', '--channel', 'acme/blue')
    expect({ status: both.status, out: both.out }).toEqual({ status: 2, out: '' })
    expect(both.err).toContain('"1001" matches 2 RFQs; use an id instead')
    expect(both.err).toContain(`id ${twin.id}`)
    expect(json(await quotekeeper('report', twin.id, '--json')).rfq).toMatchObject({ id: twin.id, number: 1001 })
  })

  it.each([
    ['a number with a slip', '1007', /1006 \(/],
    ['a word of a title', 'forst', /forest/i],
    ['nothing like it', 'zzzzzz', /`quotekeeper rfqs` lists/],
  ])('name the nearest for %s', async (_what, match, words) => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const { status, err } = await quotekeeper('history', match, '--channel', 'acme/forest')
    expect(status).toBe(1)
    expect(err).toContain(`no RFQ matches "${match}" in acme/forest`)
    expect(err).toMatch(words)
  })

  it('show the past as it was known', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    await quotekeeper('sync')
    const [rfq] = json(await quotekeeper('rfqs', '--state', 'open', '--json'))
    const later = new Date(NOW.getTime() + 3_600_000)
    sandbox.setClock(later)
    sandbox.world.changeRfq(rfq.id, { title: 'Another title' })
    await quotekeeper('sync')
    const titleWith = async (...args: string[]) =>
      json(await quotekeeper('rfqs', '--json', ...args)).find(({ id }: { id: string }) => id === rfq.id)?.title
    expect(await titleWith()).toBe('Another title')
    expect(await titleWith('--as-of', '2026-03-10T10:00Z')).toBe(rfq.title)
    expect(json(await quotekeeper('rfqs', '--json', '--as-of', '2026-03-09'))).toEqual([])
    const { out } = await quotekeeper('history', rfq.id)
    expect(out).toContain(`RFQ: title ${rfq.title} → Another title.`)
    const whole = json(await quotekeeper('history', rfq.id, '--json'))
    expect(whole.versions.filter(({ kind }: { kind: string }) => kind === 'rfq')).toHaveLength(2)
  })

  it('let no title of the marketplace steer the terminal', async () => {
    const { quotekeeperWith, quotekeeper, sandbox } = await openDesk()
    const [record] = sandbox.world.channel({ org: 'acme', channel: 'blue' })?.rfqs ?? []
    sandbox.world.changeRfq(record?.terms.id as string, { title: '\u001b[2J\u001b]0;owned\u0007Peat\nland' })
    await quotekeeper('sync')
    const { out } = await quotekeeperWith({ width: 120 }, 'rfqs')
    expect(out).toContain('Peat land')
    expect([...out].filter((character) => /\p{Cc}/u.test(character) && character !== '\n')).toEqual([])
    expect(out.split('\n').every((line) => line.length <= 120)).toBe(true)
  })

  it('export one snapshot a line', async () => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const lines = (await quotekeeper('export')).out.trimEnd().split('\n')
    const kinds = lines.map((line) => JSON.parse(line).kind)
    expect([kinds.filter((kind) => kind === 'listing').length, kinds.filter((kind) => kind === 'rfq').length]).toEqual([
      7, 9,
    ])
    const [first] = (await quotekeeper('export', '--kind', 'response')).out.split('\n')
    expect(Object.keys(JSON.parse(first as string)).slice(0, 7)).toEqual([
      'channel',
      'kind',
      'id',
      'version',
      'observedAt',
      'valid',
      'body',
    ])
    expect((await quotekeeper('export', '--as-of', '2026-03-09')).out).toBe('')
  })

  it('stop exporting when nobody reads any more', async () => {
    const { quotekeeper, quotekeeperWith } = await openDesk()
    await quotekeeper('sync')
    let written = 0
    const reader = { out: () => void written++, stdoutClosed: () => written >= 3 }
    expect((await quotekeeperWith(reader, 'export')).status).toBe(0)
    expect(written).toBe(3)
  })

  it('back the database up for its owner alone, and not over another file', async () => {
    const { quotekeeper, folder } = await openDesk()
    await quotekeeper('sync')
    const file = join(folder, 'copy.db')
    expect(await quotekeeper('backup', 'copy.db')).toEqual({ status: 0, out: `${file}\n`, err: '' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const again = await quotekeeper('backup', 'copy.db')
    expect(again.status).toBe(1)
    expect(again.err).toContain('exists already')
  })
})

describe('check', () => {
  it('finds everything ready', async () => {
    const { quotekeeper } = await openDesk()
    const { status, out, err } = await quotekeeper('check')
    expect(status).toBe(0)
    expect(out).toMatch(/^database +ok/m)
    expect(out).toMatch(/^queue +ok/m)
    expect(out).toMatch(/^acme\/blue RFQs +ok +3 RFQs/m)
    expect(err).toContain('quotekeeper start')
  })

  it('names each failure with what to do', async () => {
    const { quotekeeper, sandbox } = await openDesk({ more: 'queue: redis://127.0.0.1:1\n' })
    sandbox.world.revokeKeys('acme')
    const { status, out, err } = await quotekeeper('check', '--json')
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
  })

  it('tells of clocks that are apart', async () => {
    const { quotekeeperWith } = await openDesk()
    const ahead = () => new Date(NOW.getTime() + 600_000)
    const { status, out, err } = await quotekeeperWith({ now: ahead }, 'check')
    expect(status).toBe(0)
    expect(out.replace(/\s+/g, ' ')).toMatch(/the marketplace's clock is 59\d s behind ours \(limit 60 s\)/)
    expect(err).toContain('RFQs are not closed while the clocks differ')
  })
})

describe('close-expired', () => {
  const pastDue = (out: string) =>
    (JSON.parse(out) as { state: string; responseDueDate: string }[]).filter(
      ({ state, responseDueDate }) => state === 'open' && responseDueDate < '2026-03-10',
    )

  it('says what it would close, as often as it is asked, and sends nothing', async () => {
    const { quotekeeper, sandbox } = await openDesk()
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

  it('closes what is past due, once, and nothing due today', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    await quotekeeper('sync')
    const due = pastDue((await quotekeeper('rfqs', '--json')).out)
    const { status, out } = await quotekeeper('close-expired')
    expect(status).toBe(0)
    expect(out.match(/ close +closed /g)).toHaveLength(due.length)
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(due.length)
    const after = JSON.parse((await quotekeeper('rfqs', '--json')).out)
    expect(pastDue(JSON.stringify(after))).toEqual([])
    expect(
      after.some(
        ({ state, responseDueDate }: Record<string, string>) => state === 'open' && responseDueDate === '2026-03-10',
      ),
    ).toBe(true)
    const again = await quotekeeper('close-expired')
    expect(again.err).toContain('No RFQs are past due.')
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(due.length)
    expect((await quotekeeper('decisions', '--verify')).status).toBe(0)
  })

  it('leaves a channel alone that is off', async () => {
    const { quotekeeper, sandbox } = await openDesk({ autoClose: 'off' })
    const { status, err } = await quotekeeper('close-expired', '--channel', 'acme/blue')
    expect(status).toBe(1)
    expect(err).toContain('acme/blue has autoClose: off')
    expect(sandbox.requests).toEqual([])
  })

  it('only says what it would do in a channel of dry-run', async () => {
    const { quotekeeper, sandbox } = await openDesk({ autoClose: 'dry-run' })
    expect((await quotekeeper('close-expired')).out).toContain('would-close')
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('holds a round that is too large until its plan is approved', async () => {
    const { quotekeeper, sandbox } = await openDesk({
      more: 'closing: { maxPerRun: 1 }\n',
      channels: [{ org: 'acme', channel: 'forest', theme: 'forest', listings: 4, rfqs: 12, responsesPerRfq: 1 }],
    })
    const held = await quotekeeper('close-expired')
    expect(held.status).toBe(1)
    expect(held.out).toContain('held')
    const plan = /--approve (\S+)/.exec(held.err)?.[1] as string
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
    const approved = await quotekeeper('close-expired', '--approve', plan)
    expect(approved.status).toBe(0)
    expect(approved.out.match(/ close +closed /g)).toHaveLength(2)
    const wrong = await quotekeeper('close-expired', '--approve', 'no-such-plan')
    expect(wrong.status).toBe(1)
    expect(wrong.err).toContain('plan no-such-plan does not exist or is older than 24 hours')
  })

  it.each(['closing: { enabled: off }\n', 'stop file'])('closes nothing while it is switched off: %s', async (how) => {
    const { quotekeeper, sandbox, folder } = await openDesk({ more: how === 'stop file' ? '' : how })
    await quotekeeper('sync')
    if (how === 'stop file') writeFileSync(join(folder, 'data/closing.stop'), '')
    const { status, err } = await quotekeeper('close-expired')
    expect(status).toBe(1)
    expect(err).toContain(how === 'stop file' ? 'closing.stop exists' : 'closing.enabled is false')
    expect(sandbox.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })
})

describe('report', () => {
  it('writes the workbook of an RFQ where it says, or where it is told to', async () => {
    const { quotekeeper, folder } = await openDesk()
    await quotekeeper('sync')
    const { status, out, err } = await quotekeeper('report', '1002', '--channel', 'acme/forest')
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toBe(`${join(folder, 'data/reports/acme_forest/rfq-1002_asof-20260310T0930Z.xlsx')}\n`)
    expect(readFileSync(out.trim()).subarray(0, 2).toString()).toBe('PK')
    const named = await quotekeeper('report', '1002', '--channel', 'acme/forest', '--out', 'mine.xlsx')
    expect(named.out).toBe(`${join(folder, 'mine.xlsx')}\n`)
    expect(statSync(join(folder, 'mine.xlsx')).mode & 0o777).toBe(0o600)
  })

  it('writes the overview of each channel without an RFQ', async () => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const paths = (await quotekeeper('report')).out.trimEnd().split('\n')
    expect(paths.map((path) => basename(path))).toEqual([
      'channel-acme-forest_asof-20260310T0930Z.xlsx',
      'channel-acme-blue_asof-20260310T0930Z.xlsx',
    ])
    for (const path of paths) expect(readFileSync(path).subarray(0, 2).toString()).toBe('PK')
  })

  it('gives its figures as JSON, and then writes nothing', async () => {
    const { quotekeeper, folder } = await openDesk()
    await quotekeeper('sync')
    const report = json(await quotekeeper('report', '1002', '--channel', 'acme/forest', '--json'))
    expect(report).toMatchObject({ schema: 'quotekeeper.rfq-report/1', context: { channel: 'acme/forest' } })
    expect(report.rfq.number).toBe(1002)
    expect(report.offers).toHaveLength(2)
    const overview = json(await quotekeeper('report', '--channel', 'acme/blue', '--json'))
    expect(overview).toMatchObject({ schema: 'quotekeeper.channel-report/1', summary: { rfqs: 3, listings: 3 } })
    expect(existsSync(join(folder, 'data/reports'))).toBe(false)
  })

  it('speaks of the moment it was asked about', async () => {
    const { quotekeeper, sandbox } = await openDesk()
    await quotekeeper('sync')
    const [rfq] = json(await quotekeeper('rfqs', '--state', 'open', '--json'))
    sandbox.setClock(new Date(NOW.getTime() + 3_600_000))
    sandbox.world.changeRfq(rfq.id, { title: 'Another title' })
    await quotekeeper('sync')
    const titleAt = async (...args: string[]) => json(await quotekeeper('report', rfq.id, '--json', ...args)).rfq.title
    expect(await titleAt()).toBe('Another title')
    expect(await titleAt('--as-of', '2026-03-10T10:00Z')).toBe(rfq.title)
    const before = await quotekeeper('report', rfq.id, '--as-of', '2026-03-09')
    expect(before.status).toBe(1)
    expect(before.err).toContain('as of 2026-03-09T23:59:59.999Z; no RFQs were known then')
  })

  it('holds nothing that was seen for the future, where the clock of another machine is ahead', async () => {
    const { quotekeeper, quotekeeperWith } = await openDesk()
    await quotekeeper('sync')
    const behind = { now: () => new Date(NOW.getTime() - 86_400_000) }
    const { out } = await quotekeeperWith(behind, 'report', '1002', '--channel', 'acme/forest', '--json')
    expect(JSON.parse(out).context.asOf).toBe(NOW.toISOString())
    expect((await quotekeeperWith(behind, 'rfqs', '--as-of', NOW.toISOString())).status).toBe(0)
  })

  it('compares by the settings of the configuration, or by those of the command line this once', async () => {
    const more = 'reports: { discountRate: 0, haircuts: { spot: 0.2, forward: 0.2, other: 0.2 }, wantedVolume: max }\n'
    const { quotekeeper } = await openDesk({ more })
    await quotekeeper('sync')
    const reportBy = async (...set: string[]) =>
      json(await quotekeeper('report', '1002', '--channel', 'acme/forest', '--json', ...set))
    const configured = await reportBy()
    expect(configured.settings).toMatchObject({ discountRate: 0, wantedVolume: 'max', waitDays: 365 })
    expect(configured.rfq.wanted.volume).toBe(configured.rfq.wanted.max)
    const [{ metrics }] = configured.offers
    expect(metrics.presentValue).toBeCloseTo(metrics.total, 6)
    expect(metrics.riskAdjustedPrice).toBeCloseTo(metrics.pricePerTonne / 0.8, 6)

    const other = await reportBy('--set', 'discountRate=0.5', '--set', 'haircuts={}', '--set', 'wantedVolume=min')
    expect(other.settings).toMatchObject({ discountRate: 0.5, haircuts: { spot: 0 }, wantedVolume: 'min' })
    expect(other.rfq.wanted.volume).toBe(other.rfq.wanted.min)
    expect(other.offers[0].metrics.presentValue).toBeLessThan(metrics.presentValue)
    expect(other.offers[0].metrics.riskAdjustedPrice).toBeLessThan(metrics.riskAdjustedPrice)
  })

  it('shows a setting given for once on Inputs, and in the overview of a channel', async () => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const written = await quotekeeper('report', '1002', '--channel', 'acme/forest', '--set', 'weights.price=61.5')
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(written.out.trim())
    const inputs = workbook.getWorksheet('Inputs')
    const weight = inputs?.getColumn('A').values.findIndex((label) => String(label).startsWith('Price, risk-adjusted'))
    expect(inputs?.getCell(`B${weight}`).value).toBe(61.5)
    const overview = await quotekeeper('report', '--channel', 'acme/forest', '--set', 'wantedVolume=max', '--json')
    expect(json(overview).settings.wantedVolume).toBe('max')
  })

  it.each([
    ['a value out of bounds', 'discountRate=2', /--set discountRate\n.*found: +2\n.*allowed: a number from 0 to 1/],
    ['a key that is none', 'weights.prize=2', /--set weights\.prize\n.*an unknown key\n.*did you mean price\?/],
    ['rates without a currency', 'exchangeRates.USD=0.9', /reports\.currency\n.*found: +nothing/],
    ['no assignment', 'discountRate', /Expected KEY=VALUE, such as weights\.price=60/],
  ])('refuses a setting that the configuration would refuse: %s', async (_what, set, words) => {
    const { quotekeeper, folder } = await openDesk()
    const { status, out, err } = await quotekeeper('report', '--set', set)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toMatch(words)
    expect(existsSync(join(folder, 'data/reports'))).toBe(false)
  })

  it('wants one channel for one file', async () => {
    const { quotekeeper } = await openDesk()
    await quotekeeper('sync')
    const { status, err } = await quotekeeper('report', '--json')
    expect(status).toBe(2)
    expect(err).toContain('choose one channel with --channel: acme/forest, acme/blue')
  })
})

describe('what a command leaves behind', () => {
  it('is readable by its owner alone', async () => {
    const { quotekeeper, folder } = await openDesk()
    await quotekeeper('sync')
    for (const file of readdirSync(join(folder, 'data'))) {
      expect({ file, mode: statSync(join(folder, 'data', file)).mode & 0o077 }).toEqual({ file, mode: 0 })
    }
  })
})
