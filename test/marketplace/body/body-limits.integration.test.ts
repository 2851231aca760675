import { describe, expect, it } from 'vitest'
import { MAX_DOCUMENT_LENGTH, MAX_ENTRIES } from '../../../src/marketplace/body/json-body.js'
import { read, readItems } from './read-body.js'

describe('large lists and documents', () => {
  it('are rejected beyond 100,000, also within a document and in incomplete text', async () => {
    const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`
    expect(await readItems(`{"items":${zeros(MAX_ENTRIES)}}`)).toHaveLength(MAX_ENTRIES)
    const message = `a list of ${MAX_ENTRIES + 1} entries; at most ${MAX_ENTRIES} are accepted`
    for (const text of [
      `{"items":${zeros(MAX_ENTRIES + 1)}}`,
      `{"items":[{"responses":${zeros(MAX_ENTRIES + 1)}}]}`,
      `{"items":${zeros(MAX_ENTRIES + 1).slice(0, -1)}`,
    ]) {
      await expect(readItems(text)).rejects.toThrow(message)
    }
    await expect(read(`{"responses":${zeros(MAX_ENTRIES + 1)}}`)).rejects.toThrow(message)
  })

  it('are rejected if a document or a reply has too many values in all', async () => {
    const lists = (count: number) =>
      `{"x":[${Array(count)
        .fill(`[${'0,'.repeat(99_999)}0]`)
        .join()}]}`
    await expect(read(lists(16))).rejects.toThrow(/a document has about 16000\d\d values; at most 1500000 are accepted/)
    await expect(readItems(`{"items":[${lists(16)}]}`)).rejects.toThrow('a document has about')
    const many = Array(6).fill(lists(10)).join()
    await expect(readItems(`{"items":[${many}]}`)).rejects.toThrow('the body has about')
  })

  it('are rejected if a document has too many characters, but a list of documents may have more', async () => {
    const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
    const [longest, tooLong] = [text(MAX_DOCUMENT_LENGTH), text(MAX_DOCUMENT_LENGTH + 1)]
    const message = 'a document has 8388609 characters; at most 8388608 are accepted'
    expect(await read(longest)).toHaveProperty('a')
    await expect(read(tooLong)).rejects.toThrow(message)
    expect(await readItems(`{"items":[${longest},${longest}]}`)).toHaveLength(2)
    await expect(readItems(`{"items":[{},${tooLong}]}`)).rejects.toThrow(message)
    await expect(readItems(`{"items":[],"b":${tooLong}}`)).rejects.toThrow('a document has')
  })
})
