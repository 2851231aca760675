import { readJsonList, readJsonObject } from '../../../src/marketplace/body/json-body.js'
import { createSanitizer } from '../../../src/marketplace/body/sanitizer.js'

/** Reads the body of a reply as a document. */
export const read = async (body: string | Buffer, type = 'application/json') => {
  const reply = { status: 200, headers: { 'content-type': type }, body: Buffer.from(body) }
  return (await readJsonObject(reply, () => 'GET x', createSanitizer('the-key-itself'))).value
}

/** Reads the body of a reply as a list. */
export const readItems = async (body: string) => {
  const reply = { status: 200, headers: {}, body: Buffer.from(body) }
  const list = await readJsonList(reply, () => 'GET x', createSanitizer('the-key-itself'))
  const items = []
  for await (const { parse } of list.items) items.push(parse().value)
  return items
}
