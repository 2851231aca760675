import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { EXAMPLE_CONFIG } from '../../src/config/example.js'
import { readDocument } from '../../src/config/yaml-document.js'
import { shareOf } from '../helpers/long-tests.js'

const issuesOf = (text: string) => readDocument(text, 'quotekeeper.yaml').issues

const QUOTES = /^quotes around a value that begins with one of @/
const LAYOUT = /^"key: value" with a space after the colon/

describe('an error in YAML', () => {
  it.each([
    ['an unquoted @', 'a: 1\nqueue: @redis\nb: 2\n', 2, 'reserved character @ (column 8)', QUOTES],
    ['an unquoted @ in brackets', 'a: { env: @KEY, b: 1 }\n', 1, 'reserved character @ (column 11)', QUOTES],
    ['an unquoted %', 'queue: %x\r\n', 1, 'directive indicator character % (column 8)', QUOTES],
    ['a cron expression', 'schedule:\n  rfqs: */5 * * * *\nb: 1\n', 2, 'Unexpected alias', QUOTES],
    ['a star alone', 'rfqs: *\n', 1, 'Alias cannot be an empty string', QUOTES],
    ['an alias without an anchor', 'rfqs: *daily\n', 1, 'Alias (*) without an anchor (&) (column 7)', QUOTES],
    ['an exclamation mark', 'token: !abc\n', 1, 'Unknown tag (!) (column 8)', QUOTES],
    ['a line of text after |', 'token: |abc\n', 1, 'extra characters', QUOTES],
    ['a colon within a value', 'a: 1\nb: my file: x.db\n', 2, 'not allowed in compact mappings', /contains ": "/],
    ['indentation of a section', 'a: 1\n  b: 2\nc: 3\n', 1, 'not allowed in compact mappings', /indented alike/],
    ['indentation of a key', 'web:\n    port: 1\n  host: x\n', 3, 'must start at the same column', LAYOUT],
    ['a duplicate key', 'web:\n  port: 1\n  port: 2\n', 3, 'Map keys must be unique (column 3)', /^each key only once/],
    ['no space after the colon', 'a: 1\nport:4780\nb: 2\n', 2, 'need to be on a single line', LAYOUT],
    ['no colon', 'a: 1\nlogLevel = info\nb: 1\n', 2, 'need to be on a single line', LAYOUT],
    ['text only', 'sk_live_secret\n', 1, 'Text without a key', LAYOUT],
    ['an unclosed quote', 'a: "x\nb: y\n', 3, 'Missing closing "quote', LAYOUT],
    ['text after a quote', 'a: "x" y\nb: z\n', 1, 'Unexpected scalar at node end', QUOTES],
    ['a Windows path', 'database: "C:\\data"\n', 1, 'Invalid escape sequence (column 14)', /two backslashes/],
    ['an unclosed {', 'a:\n  - { org: acme, b: x\nc: info\n', 3, 'end with a }', LAYOUT],
    ['a } too many', 'a: { port: 1 } }\nc: info\n', 1, 'Unexpected flow-map-end token', /brackets in pairs/],
    ['a section as a key', 'a: {{ KEY }}\n', 1, 'keys must be strings', LAYOUT],
    ['two documents', 'a: 1\n---\nb: 1\n', 2, 'multiple documents (column 1)', /remove the line ---/],
    [
      'a decimal comma',
      'a: 1\nrates: { EUR: 1,08, GBP: 1.2 }\n',
      2,
      'Decimal comma (column 15)',
      /a decimal point, as in 1.08/,
    ],
    ['a directive', '%queue: x\n', 1, 'Unknown directive (%)', LAYOUT],
  ])('has its line and says what is allowed: %s', (_what, text, line, found, allowed) => {
    const [issue] = issuesOf(text)
    expect(issue).toMatchObject({ file: 'quotekeeper.yaml', line, key: '' })
    expect(issue?.found).toContain(found)
    expect(issue?.allowed).toMatch(allowed)
  })

  it('is an alias that repeats too much', () => {
    const levels = Array.from({ length: 9 }, (_, n) => `  - &a${n + 1} [${`*a${n},`.repeat(9)}]\n`).join('')
    expect(issuesOf(`a:\n  - &a0 [1]\n${levels}`)).toMatchObject([
      { line: 1, found: expect.stringContaining('repeat') },
    ])
  })

  it.each([
    'SECRET',
    '%SECRET: 1\n',
    '%YAML SECRET\n',
    'a: !SECRET x\n',
    'a: !<SECRET\n',
    'a: !SECRET! x\n',
    'a: !%SECRET x\n',
    'a: *SECRET\n',
    'a: *SECRET b\n',
    'a: &SECRET &b\n',
    'a: |SECRET\n',
    'a: > x SECRET\n',
    'a: "\\SECRET"\n',
    'a: "\\xSECRET"\n',
    'SECRET: 1\nSECRET: 2\n',
    'a: }SECRET\n',
    'a: {{SECRET}}\n',
    'a: @SECRET\n',
    'a: "" SECRET\n',
  ])('never shows a part of the file: %j', (text) => {
    const issues = issuesOf(text)
    expect(issues).not.toEqual([])
    expect(JSON.stringify(issues)).not.toMatch(/SEC|RET/)
  })

  it('is found whatever is typed wrongly, with a line and without a value', () => {
    const secret = 'S3CR3TVALUE'
    const config = EXAMPLE_CONFIG.replace('{ env: ACME_API_KEY }', secret).replace(
      'database: ./data',
      `database: ${secret}`,
    )
    const inserted = [
      '\t',
      '@',
      '*',
      ': ',
      ':',
      '"',
      "'",
      '{',
      '}',
      '[',
      '- ',
      ' ',
      '  ',
      '\n',
      '&',
      '!',
      '%',
      '|',
      '\\',
    ]
    const edit = fc.record({
      at: fc.oneof(
        fc.nat(config.length),
        fc.nat(secret.length).map((offset) => config.indexOf(secret) + offset),
      ),
      remove: fc.nat(4),
      insert: fc.constantFrom('', '#', ',', '>', '"\\', ...inserted),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (to, { at, remove, insert }) => to.slice(0, at) + insert + to.slice(at + remove),
          config,
        )
        const issues = issuesOf(text)
        if (parseDocument(text).errors.length > 0) expect(issues).not.toEqual([])
        for (const { line, found, allowed, key } of issues) {
          expect(line).toBeGreaterThan(0)
          expect(`${key} ${found} ${allowed}`).not.toMatch(/S3|3C|CR|R3|3T|TV|VAL|ALU|LUE/)
        }
      }),
      { numRuns: shareOf(60) },
    )
  })
})

describe('the line of a setting', () => {
  const document = readDocument('a: 1\n\nchannels:\n  - org: x\n    channel: y\n  - { org: z }\n"b": 0042\n', 'file')

  it.each([
    [['channels', 0, 'channel'], 5],
    [['channels', 1, 'org'], 6],
    [['channels', 1, 'channel'], 6],
    [['channels', 7, 'org'], 3],
    [['b'], 7],
    [['c'], 1],
  ])('is that of its key, or of the nearest part that exists: %j', (path, line) => {
    expect(document.lineOf(path)).toBe(line)
  })

  it('comes with how its value is written', () => {
    expect(document.writtenAs(['b'])).toBe('0042')
    expect(document.writtenAs(['channels'])).toBeNull()
  })
})
