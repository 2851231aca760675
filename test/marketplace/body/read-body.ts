import { parseList, parseObject, receiveText } from '../../../src/marketplace/body/json-body.js'
import { createKeySearch, createSanitizer } from '../../../src/marketplace/body/sanitizer.js'
import { observed } from '../../helpers/data/observed.js'

const KEY = 'Token the-key/itself'
const options = { sanitize: createSanitizer(KEY), hasKey: createKeySearch(KEY) }

const receive = (body: string | Buffer, type: string) =>
  receiveText({ status: 200, headers: { 'content-type': type }, body: Buffer.from(body) }, () => 'GET x', options)

/** Reads the body of a reply as a document. */
export const read = async (body: string | Buffer, type = 'application/json') => parseObject(receive(body, type))

/** Reads the body of a reply as a list. */
export const readItems = async (body: string): Promise<unknown[]> => {
  const observe = (text: string) => observed(JSON.parse(text), { text })
  return (await parseList(receive(body, ''), {}, observe)).value.map(({ text }) => JSON.parse(text))
}
