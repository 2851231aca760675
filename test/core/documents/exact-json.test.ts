import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, contentHash, withoutMembers } from '../../../src/core/documents/canonical-json.js'
import { flatten } from '../../../src/core/documents/document-fields.js'
import { exactJsonText, parseExactly, VerbatimJson } from '../../../src/core/documents/exact-json.js'

const exact = (text: string) => parseExactly(text, JSON.parse(text)).exact
const hash = (text: string) => contentHash('rfq', exact(text))

/** Integers with more digits than any double is written with. */
const hugeInteger = fc
  .bigInt({ min: 10n ** 17n, max: 10n ** 40n })
  .filter((integer) => integer % 10n !== 0n)
  .map(String)
const lossyNumber = fc.oneof(
  hugeInteger,
  hugeInteger.map((digits) => `-${digits}`),
  hugeInteger.map((digits) => `0.${digits}1`),
  fc.integer({ min: 309, max: 10_000 }).map((power) => `1e${power}`),
)

/** JSON text of a value with its members in another order and white space between its parts. */
function rewritten(value: unknown, space: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => space + rewritten(each, space)).join(`${space},`)}${space}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value)
    .reverse()
    .map(([name, member]) => `${space}${JSON.stringify(name)}${space}:${space}${rewritten(member, space)}`)
  return `{${members.join(',')}${space}}`
}

describe('the content hash of a text', () => {
  it('is that of its value if parsing loses nothing, whatever its order and white space', () => {
    const texts = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t'))
    fc.assert(
      fc.property(texts, ([value, space]) => {
        const text = rewritten({ a: value, b: 1 }, space)
        expect(exact(text)).toEqual(JSON.parse(text))
        expect(hash(text)).toBe(contentHash('rfq', JSON.parse(JSON.stringify({ a: value, b: 1 }))))
      }),
    )
  })

  it('is the same for a number however it is written', () => {
    for (const same of [
      ['1', '1.0', '1e0', '10E-1', '0.1e+1', '1.000000000000000000000'],
      ['0', '-0', '0.0', '0e400', '-0E-9999'],
      ['9007199254740993', '9007199254740993.0', '9007199254740993e0', '900719925474099300E-2'],
      ['1e400', '10e399', '0.1E+401', '1000e0397'],
      ['-1e400', '-10.0e399'],
    ]) {
      expect(new Set(same.map((number) => hash(`{"n":${number}}`))).size, String(same)).toBe(1)
    }
  })

  it('differs for numbers that parsing makes equal', () => {
    const equalToJsonParse = [
      ['9007199254740992', '9007199254740993'],
      ['1e400', '1e401', '-1e400', 'null', '"1e400"'],
      ['0', '1e-400', '-1e-400', '1e-401'],
      ['0.1', '0.1000000000000000055511151231257827'],
      [`1e${'9'.repeat(50)}`, `1e${'9'.repeat(49)}8`],
      [`1e${'9'.repeat(5000)}`, `1e${'9'.repeat(4999)}8`],
    ]
    for (const numbers of equalToJsonParse) {
      expect(new Set(numbers.map((number) => hash(`{"n":[${number}]}`))).size).toBe(numbers.length)
    }
    fc.assert(
      fc.property(lossyNumber, lossyNumber, (one, other) => {
        const rounded = JSON.stringify(Number(one)) ?? 'null'
        expect(hash(`{"n":${one}}`)).not.toBe(hash(`{"n":${rounded}}`))
        if (one !== other) expect(hash(`{"n":${one}}`)).not.toBe(hash(`{"n":${other}}`))
      }),
    )
  })

  it('differs if a key occurs twice, and depends on the order of its values only', () => {
    const texts = [
      '{"a":1,"b":2}',
      '{"a":1,"a":1,"b":2}',
      '{"a":0,"a":1,"b":2}',
      '{"a":1,"a":0,"b":2}',
      '{"a":[0,1],"b":2}',
    ]
    expect(new Set(texts.map(hash)).size).toBe(texts.length)
    expect(hash('{ "b":2, "\\u0061":0, "a":1 }')).toBe(hash('{"a":0,"a":1,"b":2}'))
    expect(hash('{"a":0,"b":2,"a":1}')).toBe(hash('{"a":0,"a":1,"b":2}'))
    expect(hash('{"__proto__":1}')).not.toBe(hash('{"__proto__":2,"__proto__":1}'))
  })

  it('ignores the order of responses and signed URLs in documents with losses too', () => {
    const response = (id: string, volume: string) => `{"id":"${id}","totalVolume":${volume}}`
    const [one, other] = [response('a', '12345678901234567890'), response('b', '1e400')]
    expect(hash(`{"responses":[${one},${other}]}`)).toBe(hash(`{"responses":[${other},${one}]}`))
    expect(hash(`{"responses":[],"responses":[${one},${other}]}`)).toBe(
      hash(`{"responses":[],"responses":[${other},${one}]}`),
    )
    const listing = (url: number, expires: string) =>
      contentHash(
        'listing',
        exact(`{"n":1e999,"additionalDocumentation":{"url":"u${url}","url":"v${url}","expires":${expires},"pages":3}}`),
      )
    expect(listing(1, '12345678901234567890')).toBe(listing(2, '12345678901234567891'))
    const twice = (url: number) =>
      contentHash('listing', exact(`{"additionalDocumentation":1,"additionalDocumentation":{"url":${url}}}`))
    expect(twice(1)).toBe(twice(2))
  })

  it('without a member leaves losses elsewhere', () => {
    const text = (updated: string, volume: string) =>
      `{"updatedAt":${updated},"updatedAt":1,"a":[{"updatedAt":${updated},"n":${volume}}],"b":1,"b":2}`
    const stable = (updated: string, volume: string) =>
      canonicalJson(withoutMembers(exact(text(updated, volume)), 'updatedAt'))
    expect(stable('1e400', '9007199254740993')).toBe(stable('2', '9007199254740993'))
    expect(stable('1', '9007199254740993')).not.toBe(stable('1', '9007199254740992'))
    expect(stable('1', '1')).toBe('{"a":[{"n":1}],"b":1,"b":2}')
  })
})

describe('the JSON text of an exact value', () => {
  it('has the numbers and repeated members of the text it was parsed from', () => {
    const text =
      '{"n":9007199254740993,"list":[1e400,{"a":1,"a":{"b":-1E-999,"b":[]}},null],"s":"\\"\\\\\\ud800\\u0000","x":1}'
    expect(exactJsonText(exact(text))).toBe(text)
    expect(exactJsonText({ body: exact('{"n":1E+400}') }, 2)).toBe('{\n  "body": {\n    "n": 1E+400\n  }\n}')
    expect(exactJsonText({ body: new VerbatimJson('{ "a":1.0 }'), b: 'c' })).toBe('{"body":{ "a":1.0 },"b":"c"}')
    expect(exactJsonText([undefined, Number.NaN])).toBe('[null,null]')
  })

  it('is the same again after parsing, with any losses', () => {
    const member = fc.tuple(fc.constantFrom('"a"', '"b"', '"__proto__"'), fc.oneof(lossyNumber, fc.constant('"x"')))
    const object = fc
      .array(member, { maxLength: 5 })
      .map((members) => `{${members.map((pair) => pair.join(':')).join()}}`)
    const text = fc
      .array(fc.oneof(object, lossyNumber), { maxLength: 5 })
      .map((values) => `{"list":[${values.join()}]}`)
    fc.assert(
      fc.property(text, (json) => {
        const written = exactJsonText(exact(json))
        expect(canonicalJson(exact(written))).toBe(canonicalJson(exact(json)))
        expect(exactJsonText(exact(written))).toBe(written)
      }),
    )
  })
})

it('the fields of an exact value contain what parsing loses', () => {
  const fields = flatten(exact('{"n":9007199254740993,"list":[1e400],"state":"open","state":{"a":1},"b":true}'))
  expect([...fields]).toEqual([
    ['n', '9007199254740993'],
    ['list[0]', '1e400'],
    ['state (1 of 2)', 'open'],
    ['state (2 of 2).a', 1],
    ['b', true],
  ])
})
