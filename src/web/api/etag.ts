import { createHash } from 'node:crypto'

/** A weak entity tag of a JSON text: equal as long as the data are. */
export function etagOf(json: string): string {
  const hash = createHash('sha256').update(json).digest('base64url')
  return `W/"${hash.slice(0, 27)}"`
}

/** A JSON text with its entity tag, made where they block no event loop. */
export interface TaggedJson {
  json: string
  etag: string
}

/** @param ignored texts that follow from the time of the request, so they are not part of the data */
export function toTaggedJson(value: unknown, ignored: readonly string[]): TaggedJson {
  const json = `${JSON.stringify(value)}\n`
  return { json, etag: etagOf(ignored.reduce((data, text) => data.replaceAll(text, ''), json)) }
}

/** Whether an `If-None-Match` header names the tag. Compares weakly, as RFC 9110 demands of it. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag))
}
