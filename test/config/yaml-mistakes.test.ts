import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { EXAMPLE_CONFIG } from '../../src/config/example.js'
import { findYamlMistakes } from '../../src/config/yaml/yaml-mistakes.js'
import { shareOf } from '../helpers/long-tests.js'

/** Each mistake as `line key: found → allowed`. */
const explain = (text: string) =>
  findYamlMistakes(text).map(({ line, key, found, allowed }) => `${line} ${key}: ${found} → ${allowed}`)

const SPECIAL = 'which has a meaning in YAML'

describe('a mistake in YAML', () => {
  it.each([
    [
      'an unquoted @',
      'a: 1\nqueue: @redis\nb: 2\n',
      `2 queue: a value that begins with @, ${SPECIAL} → quote it: queue: "…"`,
    ],
    [
      'an unquoted @ in brackets',
      'a: { env: @KEY, b: 1 }\n',
      `1 env: a value that begins with @, ${SPECIAL} → quote it: env: "…"`,
    ],
    ['an unquoted `', 'queue: `x`\n', `1 queue: a value that begins with \`, ${SPECIAL} → quote it: queue: "…"`],
    ['an unquoted %', 'queue: %x\r\n', `1 queue: a value that begins with %, ${SPECIAL} → quote it: queue: "…"`],
    [
      'a cron expression without quotes',
      'schedule:\n  rfqs: */5 * * * *\nb: 1\n',
      `2 rfqs: a value that begins with *, ${SPECIAL} → quote it: rfqs: "…"`,
    ],
    ['a star alone', 'rfqs: *\n', `1 rfqs: a value that begins with *, ${SPECIAL} → quote it: rfqs: "…"`],
    [
      'an alias without an anchor',
      'rfqs: *daily\n',
      `1 rfqs: a value that begins with *, ${SPECIAL} → quote it: rfqs: "…"`,
    ],
    [
      'an anchor without an alias',
      'token: &abc def\n',
      `1 token: a value that begins with &, ${SPECIAL} → quote it: token: "…"`,
    ],
    ['an exclamation mark', 'token: !abc\n', `1 token: a value that begins with !, ${SPECIAL} → quote it: token: "…"`],
    [
      'tabs',
      'web:\n\tport: 1\n\thost: x\nb: 1\n',
      '2 : a tab at the beginning of the line (also in line 3) → spaces; YAML allows no tabs there',
    ],
    [
      'a colon within a value',
      'a: 1\ndatabase: my file: x.db\nb: 2\n',
      '2 database: a value that contains ": " → quote it: database: "…"',
    ],
    [
      'too much indentation',
      '- org: acme\n    channel: x\n  b: 1\n',
      '2 : 4 spaces before the key, although keys of its section have 2 spaces → the same indentation as the other keys of its section, as in line 1',
    ],
    [
      'too little indentation',
      'web:\n    port: 1\n  host: x\n',
      '3 : 2 spaces before the key, although keys of its section have 4 spaces → the same indentation as the other keys of its section, as in line 2',
    ],
    [
      'too little indentation in a list',
      'l:\n  - org: acme\n   channel: x\n    b: 1\n',
      '3 : 3 spaces before the key, although keys of its section have 4 spaces → the same indentation as the other keys of its section, as in line 2',
    ],
    [
      'an indented key at the top',
      'a: 1\n  b: 2\nc: 3\n',
      '2 : 2 spaces before the key, although keys of its section have no space → the same indentation as the other keys of its section, as in line 1',
    ],
    [
      'a duplicate key',
      'web:\n  port: 1\n  host: x\n  port: 2\n',
      '4 port: a key that its section already has, in line 2 → each key only once; remove one of the two',
    ],
    [
      'keys that are there three times in one line',
      'a: { b: 1, b: 2, b: 3 }\nc: 1\n',
      '1 b: a key that its section already has, in line 1 → each key only once; remove one of the two',
    ],
    [
      'no space after the colon',
      'a: 1\nport:4780\nb: 2\n',
      '2 port: no space after the colon → a space between the colon and the value',
    ],
    [
      'no space after the last colon',
      'a: 1\nport:4780\n',
      '2 port: no space after the colon → a space between the colon and the value',
    ],
    [
      'no space after a dash',
      'l:\n  -org: acme\n   b: x\n',
      '2 : no space after the dash → a space between the dash and the item',
    ],
    ['no colon', 'a: 1\ndatabase\nb: 2\n', '2 : a line without a colon → "key: value"'],
    [
      'an equals sign',
      'a: 1\nlogLevel = info\nb: 1\n',
      '2 : a line without a colon → "key: value", with a colon instead of =',
    ],
    ['text only', 'sk_live_secret\n', '1 : a line without a colon → "key: value"'],
    [
      'an unclosed double quote',
      'a: "x\nb: y\nc: z\n',
      '1 a: a value that begins with " and does not end with it → " at the end of the value too',
    ],
    [
      'an unclosed single quote',
      "a: 'x\nb: 'y'\nc: z\n",
      "1 a: a value that begins with ' and does not end with it → ' at the end of the value too",
    ],
    [
      'text after a quote',
      'a: "x" y\nb: z\n',
      '1 : text after the closing quote → one pair of quotes around the whole value; a comment begins with " #"',
    ],
    [
      'a Windows path',
      'database: "C:\\data\\x"\nb: z\n',
      '1 database: a backslash within double quotes → single quotes, or two backslashes',
    ],
    [
      'an unclosed {',
      'a:\n  - { org: acme, b: x\nc: info\n',
      '2 : a { that is not closed → } at its end, in the same line if possible',
    ],
    ['a } too many', 'a: { port: 1 } }\nc: info\n', '1 : a } without its { → as many } as { and ] as ['],
    [
      'no comma',
      'a: { port: 1 host: x }\nb: 1\n',
      '1 : no comma between two keys within { } → a comma between them: { key: value, key: value }',
    ],
    [
      'a list in the line of its key',
      'a: - x\nb: 1\n',
      '1 a: a list item in the line of its key → each item in a line of its own, below the key',
    ],
    ['typographic quotes', 'a: “x”\n', '1 a: typographic quotes → straight quotes: "…"'],
    [
      'two documents',
      'a: 1\n---\nb: 1\n',
      '2 : a line --- in the middle of the file → one configuration per file; remove the line',
    ],
    ['a directive', '%queue: x\n', '1 : a line that begins with % → "key: value"'],
  ])('is explained by its line, once: %s', (_what, text, explanation) => {
    expect(explain(text)).toEqual([explanation])
  })

  it('is found beside others', () => {
    const text = 'a: @x\nb: y: z\nrfqs: */5 * * * *\nc: 1\nc: 2\nd: &x y\ne:2\n'
    expect(findYamlMistakes(text).map(({ line }) => line)).toEqual([1, 2, 3, 7])
    expect(findYamlMistakes(text.replace('e:2', 'e: 2')).map(({ line }) => line)).toEqual([1, 2, 3, 5, 6])
  })

  it('is not seen in correct YAML', () => {
    const correct = [
      EXAMPLE_CONFIG,
      '',
      'base: &base { port: 1 }\nweb: *base\n',
      'web: &unused { port: 1 }\nmore: &used 1\nand: *used\n',
      'a: \'it\'\'s\'\nb: "x: @ *"\nc: "two\n  lines"\n',
      'a: |\n  @x: *y\n',
      '{ "a": [1, 2], "b": { "c": null } }',
      '- a\n- b: 1\n  c: 2\n',
      'a: 1 # "quotes" and { brackets\nb: x#y\n',
    ]
    for (const text of correct) expect(findYamlMistakes(text)).toEqual([])
  })

  it('is found whatever is typed wrongly, without parser terms and without a value', () => {
    const secret = 'S3CR3TVALUE'
    const config = EXAMPLE_CONFIG.replace('{ env: ACME_API_KEY }', secret).replace(
      'database: ./data',
      `database: ${secret}`,
    )
    const edit = fc.record({
      at: fc.nat(config.length),
      remove: fc.nat(4),
      insert: fc.constantFrom(
        '',
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
        '#',
        ',',
      ),
    })
    const jargon = /implicit|flow|block|scalar|mapping|sequence|token|node|alias|directive|plain value|collection/i
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const text = edits.reduce(
          (to, { at, remove, insert }) => to.slice(0, at) + insert + to.slice(at + remove),
          config,
        )
        const mistakes = findYamlMistakes(text)
        if (parseDocument(text).errors.length > 0) expect(mistakes).not.toEqual([])
        expect(new Set(mistakes.map(({ line }) => line)).size).toBe(mistakes.length)
        for (const { line, found, allowed, key } of mistakes) {
          expect(line).toBeGreaterThan(0)
          // `tokens` is a key.
          expect(`${found} ${allowed}`.replaceAll(key, '')).not.toMatch(jargon)
          expect(`${key} ${found} ${allowed}`).not.toMatch(/S3CR|3TVA|VALUE/)
        }
      }),
      { numRuns: shareOf(60) },
    )
  })
})
