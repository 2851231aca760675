import { expect, it } from 'vitest'
import { closingProblems } from '../../src/closing/read-rfq.js'

const RFQ = '{"id":"a","state":"open","responseDueDate":"2026-11-20","title":"t","extra":{"a":[1]}}'

it.each<[string, string[]]>([
  [RFQ, []],
  [RFQ.replace('{', '{"responseDueDate":"2027-01-31",'), ['duplicate responseDueDate']],
  [RFQ.replace('{', '{"responseDueDat\\u0065":"2027-01-31",'), ['duplicate responseDueDate']],
  [RFQ.replace('{', '{"title":"another",'), ['duplicate title']],
  [RFQ.replace('"open"', '"open","state":"closed"'), ['duplicate state']],
  [RFQ.replace('"open"', '"op\\u0065n"'), ['encoding state']],
  [RFQ.replace('"a"', '"\\u0061"').replace('11-20', '11\\u002d20'), ['encoding id', 'encoding responseDueDate']],
  // What does not decide may be written in any way.
  [RFQ.replace('"t"', '"\\u0074"').replace('[1]', '12345678901234567890,"a":2'), []],
  [RFQ.replaceAll(',', ' ,\n').replaceAll(':', ' : '), []],
])('what a close must not rest on in the text %s is %j', (text, problems) => {
  expect(closingProblems(text).map(({ code, path }) => `${code} ${path}`)).toEqual(problems)
})
