import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { exampleConfig } from '../../src/config/example.js'
import { readDocument } from '../../src/config/yaml-document.js'
import { shareOf } from '../helpers/long-tests.js'

const issuesOf = (text: string) => readDocument(text, 'quotekeeper.yaml').issues

describe('an error in YAML', () => {
  it.each([
    ['an unquoted @', 'a: 1\nqueue: @redis\nb: 2\n', 2, 'Invalid YAML at column 8 (bad scalar start)'],
    ['a cron expression', 'schedule:\n  rfqs: */5 * * * *\nb: 1\n', 2, 'unexpected token'],
    ['a duplicate key', 'web:\n  port: 1\n  port: 2\n', 3, 'duplicate key'],
    ['a Windows path', 'database: "C:\\data"\n', 1, 'bad dq escape'],
    ['two documents', 'a: 1\n---\nb: 1\n', 2, 'multiple docs'],
  ])('has its line and its kind, and says what is allowed: %s', (_what, text, line, found) => {
    const [issue] = issuesOf(text)
    expect(issue).toMatchObject({ file: 'quotekeeper.yaml', line, key: '' })
    expect(issue?.message).toContain(found)
    expect(issue?.message).toContain('Expected "key: value" with a space after the colon')
  })

  it('is an alias of nothing, or one that repeats too much', () => {
    const levels = Array.from({ length: 9 }, (_, n) => `  - &a${n + 1} [${`*a${n},`.repeat(9)}]\n`).join('')
    for (const text of ['rfqs: *daily\n', `a:\n  - &a0 [1]\n${levels}`])
      expect(issuesOf(text)).toMatchObject([
        { message: 'Invalid YAML: an alias (*) of nothing, or aliases that repeat too much' },
      ])
  })

  it.each([
    '%SECRET: 1\n',
    '%YAML SECRET\n',
    'a: !SECRET x\n',
    'a: *SECRET\n',
    'a: *SECRET b\n',
    'a: &SECRET &b\n',
    'a: "\\SECRET"\n',
    'SECRET: 1\nSECRET: 2\n',
    'a: }SECRET\n',
  ])('never shows a part of the file: %j', (text) => {
    const issues = issuesOf(text)
    expect(issues).not.toEqual([])
    expect(JSON.stringify(issues)).not.toMatch(/SEC|RET/)
  })

  it('is found whatever is typed wrongly, with a line and without a value', () => {
    const secret = 'S3CR3TVALUE'
    const config = exampleConfig()
      .replace('{ env: ACME_API_KEY }', secret)
      .replace('database: ./data', `database: ${secret}`)
    const inserted = [...`\t@*:"'{}[ \n&!%|\\`, ': ', '- ', '  ', '', '#', ',', '>', '"\\']
    const edit = fc.record({
      at: fc.oneof(
        fc.nat(config.length),
        fc.nat(secret.length).map((offset) => config.indexOf(secret) + offset),
      ),
      remove: fc.nat(4),
      insert: fc.constantFrom(...inserted),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (to, { at, remove, insert }) => to.slice(0, at) + insert + to.slice(at + remove),
          config,
        )
        const issues = issuesOf(text)
        if (parseDocument(text).errors.length > 0) expect(issues).not.toEqual([])
        for (const { line, message, key } of issues) {
          expect(line ?? 1).toBeGreaterThan(0)
          expect(`${key} ${message}`).not.toMatch(/S3|3C|CR|R3|3T|TV|VAL|ALU|LUE/)
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
    [['channels', 7, 'org'], 4],
    [['b'], 7],
    [['c'], 1],
  ])('is that of its value, or of the nearest part that exists: %j', (path, line) => {
    expect(document.lineOf(path)).toBe(line)
  })
})
