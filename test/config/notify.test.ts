import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ConfigError } from '../../src/config/config-error.js'
import { loadConfig } from '../../src/config/load.js'
import { EVENT_KINDS } from '../../src/core/events/events.js'
import { testFolder } from '../helpers/test-folder.js'

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const ENV = {
  KEY: 'k-0123456789',
  SECRET,
  HOOK: 'https://hooks.slack.example/T/B/x',
  PLAIN: 'http://hooks.example/x',
  SHORT: 'whsec_aaaa',
}
const HEAD = `baseUrl: https://marketplace.example.com
channels: [{ org: acme, channel: forest, apiKey: { env: KEY }, autoClose: off }]
notify:
`

function load(notify: string) {
  const folder = testFolder()
  writeFileSync(join(folder, 'quotekeeper.yaml'), HEAD + notify)
  return loadConfig({ cwd: folder, env: ENV }).notify
}

function issuesOf(notify: string): string[] {
  try {
    load(notify)
  } catch (error) {
    return (error as ConfigError).issues.map(({ line, key, message }) => `${line} ${key}: ${message}`)
  }
  throw new Error('the configuration was accepted')
}

describe('notify in the configuration', () => {
  it('has targets with defaults, which take groups of kinds or everything', () => {
    const { targets, dueSoonDays } = load(`
  targets:
    crm: { type: webhook, url: https://crm.example.com/in, secret: { env: SECRET } }
    team: { type: teams, url: { env: HOOK }, kinds: [close.*, rfq.new, rfq.new], channels: [acme/forest] }
    desk: { type: email, smtp: { host: mail.example.com }, from: q@example.com, to: [ana@example.com] }
`)
    expect(dueSoonDays).toBe(3)
    expect(targets[0]).toEqual({
      name: 'crm',
      type: 'webhook',
      kinds: Object.keys(EVENT_KINDS).filter((kind) => kind !== 'notify.test'),
      channels: null,
      url: 'https://crm.example.com/in',
      isUrlSecret: false,
      secret: SECRET,
    })
    expect(targets[1]).toEqual({
      name: 'team',
      type: 'teams',
      url: ENV.HOOK,
      kinds: ['close.refused', 'close.unknown', 'close.blocked', 'close.stopped', 'close.resumed', 'rfq.new'],
      channels: ['acme/forest'],
    })
    expect(targets[2]).toMatchObject({
      smtp: { host: 'mail.example.com', port: 587, security: 'starttls', user: null, password: null },
      digest: null,
      attachWorkbook: false,
    })
  })

  it('is rejected with the line of each mistake, and never shows a secret', () => {
    const issues = issuesOf(`  targets:
    plain: { type: webhook, url: { env: PLAIN }, secret: { env: SHORT } }
    open: { type: webhook, url: https://crm.example.com/in }
    chat: { type: slack, url: https://hooks.slack.example/T/B/literal-token }
    pager: { type: pager, url: { env: HOOK } }
    "bad name": { type: slack, url: { env: HOOK } }
    mail:
      type: email
      smtp: { host: mail.example.com, security: none, user: me }
      from: "x@y.test\\nBcc: z@y.test"
      to: []
      digets: null
    wrong: { type: slack, url: { env: HOOK }, kinds: [offer.nwe, offers.*] }
  routes: []
`)
    const expected = [
      /^5 notify\.targets\.plain\.url: Expected an https URL/,
      /^5 notify\.targets\.plain\.secret: Expected whsec_.*openssl/,
      /^6 notify\.targets\.open\.secret: Expected \{ env: NAME \} or \{ file: PATH \}/,
      /^7 notify\.targets\.chat\.url: Expected \{ env: NAME \}/,
      /^8 notify\.targets\.pager.*webhook, slack, teams, email/,
      /^9 notify\.targets\["bad name"\]: .*at most 40 letters/,
      /^12 notify\.targets\.mail\.smtp\.security: Expected starttls or tls/,
      /^12 notify\.targets\.mail\.smtp: Expected both user and password/,
      /^13 notify\.targets\.mail\.from: Expected an e-mail address/,
      /^14 notify\.targets\.mail\.to: Too small/,
      /^15 notify\.targets\.mail\.digets: Unknown key; did you mean digest\?/,
      /^16 notify\.targets\.wrong\.kinds\[0\]: .*did you mean offer\.new\?/,
      /^16 notify\.targets\.wrong\.kinds\[1\]: Expected a kind of event/,
      /^17 notify\.routes: .*`kinds` and `channels` of each target/,
    ]
    for (const pattern of expected) expect(issues).toContainEqual(expect.stringMatching(pattern))
    expect(issues).toHaveLength(expected.length)
    expect(issues.join()).not.toMatch(/literal-token|whsec_aaaa|hooks\.example\/x/)
  })

  it('names the channel that was meant', () => {
    expect(
      issuesOf('  targets: { team: { type: slack, url: { env: HOOK }, channels: [acme/forest, acme/forst] } }\n'),
    ).toEqual([
      '4 notify.targets.team.channels[1]: Did you mean acme/forest? Expected a channel under channels: acme/forest',
    ])
  })
})
