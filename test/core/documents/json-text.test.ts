import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { membersOf, partsOf } from '../../../src/core/documents/json-text.js'

/** Texts of a value, with white space and brackets within strings. */
const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.nat(3))
  .map(([value, spaces]) => JSON.stringify([value, { '],{"\\': value, '\\"': '}]\\' }], null, spaces))

describe('the parts of JSON text', () => {
  it('are the texts of its elements or members, as sent', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), fc.constantFrom('', ' ', '\r\n\t'), (texts, space) => {
        const between = `${space},${space}`
        expect([...partsOf(`[${space}${texts.join(between)}${space}]`)]).toEqual(texts)
        const members = texts.map((text, at) => [`${at % 2}"\\`, text] as const)
        const object = members.map(([name, text]) => `${JSON.stringify(name)}${space}:${space}${text}`)
        expect([...membersOf(`{${space}${object.join(between)}${space}}`)]).toEqual(members)
      }),
    )
  })

  it.each([
    '[1,]',
    '[,1]',
    '[1',
    '[1}',
    '{]',
    '[[1]',
    '[1]]',
    '[1] 2',
    '["]',
    '1',
    '',
    '[1 2]',
    '[{"a":1 "b":2}]',
    '[{"a":1]]',
  ])('of %s are incomplete, or not all of them are JSON', (text) => {
    expect(() => [...partsOf(text)].map((part) => JSON.parse(part))).toThrow(SyntaxError)
  })

  it.each(['{"a"}', '{a:1}', '{"a":1,}', '{1:2}', '[]', '{"a":1', '{:1}'])('of %s are no members', (text) => {
    expect(() => [...membersOf(text)].map(([, value]) => JSON.parse(value))).toThrow(SyntaxError)
  })
})
