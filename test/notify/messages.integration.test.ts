import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventSentence } from '../../src/core/events/event-text.js'
import { EVENT_KINDS, type EventKind, type EventRecord } from '../../src/core/events/events.js'
import { chatMessage } from '../../src/notify/chat-message.js'
import type { EmailTarget } from '../../src/notify/contract.js'
import { emailMessage } from '../../src/notify/email-message.js'
import { describeEvent } from '../../src/notify/event-text.js'
import { testFolder } from '../helpers/test-folder.js'
import { email, notifications, openFeed } from './feed-fixture.js'

const UNSAFE = /[\u202e\p{Cc}\p{Cs}]/u
const HOSTILE =
  'Bad\r\nBcc: x@evil.test\u202e<!channel> <@U1> @everyone [click](https://evil.test) **b** {{DATE(x)}} <b onload="x">&\u0000\ud800'

const event = (kind: EventKind, more: Partial<EventRecord> = {}): EventRecord => {
  const found = { ...eventOf(kind), ...more }
  return { ...found, text: eventSentence(kind, found.data) }
}

const eventOf = (kind: EventKind) => ({
  sequence: 1,
  id: 'evt_1',
  kind,
  at: '2026-11-21T12:00:00.000Z',
  channel: 'acme/forest',
  rfqId: 'r',
  offerId: null,
  version: 1,
  data: {
    rfq: { id: 'r', number: 1042, reference: null, title: HOSTILE, state: 'open', responseDueDate: '2026-11-30' },
    offer: {
      ...{ id: 'o', projectDeveloperName: HOSTILE, projectName: 'Mangroves', status: 'submitted', submittedAt: null },
      ...{ contractType: 'spot', currency: 'EUR', totalVolume: 1000, totalPrice: 12_500 },
    },
    reason: HOSTILE,
    remedy: 'look at it',
  },
})

describe('the text of an event', () => {
  it('names who stopped closing, and who ended that', () => {
    const stop = { by: 'Anna', reason: 'wrong prices', since: '2026-11-21T12:00:00.000Z', endedBy: 'Ben' }
    const line = (kind: EventKind, stop: object) =>
      describeEvent(event(kind, { channel: null, data: { stop } as never })).title
    expect(line('close.stopped', stop)).toBe('Anna stopped all closing: wrong prices')
    expect(line('close.resumed', stop)).toMatch(/Ben ended .*Anna \(wrong prices\)$/)
  })

  it('stays text in each chat, whatever the marketplace sent', () => {
    const events = [event('offer.late'), event('rfq.new'), event('close.refused')]
    const slack = chatMessage('slack', events) as { text: string; mrkdwn: boolean; parse: string }
    expect(slack).toMatchObject({ mrkdwn: false, parse: 'none' })
    expect(slack.text).not.toMatch(/[<>]/)
    expect(slack.text.split('\n')).toHaveLength(3)
    const teams = JSON.stringify(chatMessage('teams', events))
    expect(teams).not.toContain('"TextBlock"')
    expect(teams).not.toContain('{{')
    for (const text of [slack.text, teams]) expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE)
  })

  it('never has more bytes than Slack and Teams accept, whatever is counted in its last line', () => {
    const kinds = (Object.keys(EVENT_KINDS) as EventKind[]).flatMap((kind) => Array(249).fill(event(kind)))
    for (const [shape, max] of [
      ['slack', 4_000],
      ['teams', 28_000],
    ] as const)
      for (const character of ['x', 'ü', '国', '🌳'])
        for (let length = 150; length < 250; length += 10) {
          const long = Array.from({ length: 100 }, (_, at) =>
            event('rfq.closed', { sequence: at, data: { reason: character.repeat(length) } }),
          )
          const message = JSON.stringify(chatMessage(shape, [...long, ...kinds]))
          expect(message).toMatch(/… and [\d,]+ more events/)
          expect(Buffer.byteLength(message)).toBeLessThanOrEqual(max)
        }
  })

  it('stays text in an e-mail, whose subject is one line', () => {
    const { subject, html, text } = emailMessage([event('rfq.new')])
    expect(subject).toMatch(/^Quotekeeper: acme\/forest: new RFQ 1042/)
    expect(subject + text.split('\n')[0]).not.toMatch(UNSAFE)
    expect(html).not.toContain('<b onload')
    expect(html.match(/new RFQ 1042/g)).toHaveLength(2)
    expect(html).not.toMatch(/<style|class=/)
    const { remedy: _remedy, ...data } = event('rfq.new').data
    const both = emailMessage([event('rfq.new', { data }), event('close.refused')])
    expect(both.text.indexOf('→ look at it')).toBeLessThan(both.text.indexOf('new RFQ 1042'))
    expect(both.html.indexOf('→ look at it')).toBeLessThan(both.html.indexOf('new RFQ 1042'))
  })
})

/** A real SMTP server, which refuses messages while `refuse` is set. */
async function smtpReceiver() {
  const state = { refuse: null as string | null, messages: [] as { to: string[]; raw: string }[] }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let raw = ''
      stream.on('data', (chunk) => {
        raw += chunk
      })
      stream.on('end', () => {
        if (state.refuse !== null) return done(Object.assign(new Error(state.refuse), { responseCode: 451 }))
        state.messages.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw })
        done()
      })
    },
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.server.address() as { port: number }
  const smtp = { host: '127.0.0.1', port, security: 'none', user: null, password: null } as const
  const to = ['ana@desk.test', 'ben@desk.test']
  return { state, target: (more: Partial<EmailTarget> = {}) => email({ smtp, to, ...more }) }
}

const headersOf = (raw: string) => raw.split('\r\n\r\n')[0] as string
const idOf = (raw: string) => /^Message-ID: (.*)$/im.exec(headersOf(raw))?.[1]

describe('e-mail', () => {
  it('has all events that wait in one message, with the same id when it is sent again, and no header of others', async () => {
    const feed = await openFeed()
    const { state, target } = await smtpReceiver()
    const service = await notifications(feed.store, [target()])
    state.refuse = 'try later'
    await feed.emit('close.refused', 'acme/forest', HOSTILE)
    await feed.emit('rfq.new')
    await service.deliver()
    const [waiting] = await feed.store.targetStates()
    expect(waiting).toMatchObject({ waiting: 2, failures: 1, error: expect.stringContaining('try later') })
    state.refuse = null
    feed.advance(60_000)
    await service.deliver()
    await feed.emit('offer.new')
    await service.deliver()
    expect(state.messages).toHaveLength(2)
    const [first, second] = state.messages as [{ to: string[]; raw: string }, { to: string[]; raw: string }]
    expect(first.to).toEqual(['ana@desk.test', 'ben@desk.test'])
    expect(first.raw).toContain('text/html')
    expect(headersOf(first.raw)).not.toMatch(/^bcc:/im)
    expect(idOf(first.raw)).toMatch(/^<msg_[0-9a-f]{32}@desk\.test>$/)
    expect(idOf(second.raw)).not.toBe(idOf(first.raw))
  })

  it('attaches the workbook of a report from the folder of reports only', async () => {
    const feed = await openFeed()
    const { state, target } = await smtpReceiver()
    const folder = testFolder()
    const reports = join(folder, 'reports')
    mkdirSync(reports)
    writeFileSync(join(folder, 'secret.xlsx'), 'secret')
    writeFileSync(join(reports, 'rfq-1042.xlsx'), 'workbook')
    symlinkSync(join(folder, 'secret.xlsx'), join(reports, 'link.xlsx'))
    const service = await notifications(feed.store, [target({ attachWorkbook: true })], { reportsDirectory: reports })
    for (const name of ['rfq-1042.xlsx', 'link.xlsx', '../secret.xlsx']) {
      await feed.store.recordEvents([
        { kind: 'report.made', at: feed.now().toISOString(), channel: null, data: { report: { name } } },
      ])
    }
    await service.deliver()
    expect(state.messages).toHaveLength(1)
    const names = [...(state.messages[0]?.raw ?? '').matchAll(/filename="?([^"\r\n;]+)/g)].map(([, name]) => name)
    expect(names).toEqual(['rfq-1042.xlsx'])
  })
})
