import type { HttpReply } from './http-exchange.js'

/** Names of members and headers that lead to further entries if they have a value, without case and punctuation. */
const FURTHER = /^x?(odata)?(next(link|url|uri|href|page|cursor|token|pagetoken|offset)?|cursor|continuationtoken)$/
const IS_PART = /^(hasmore|hasnext|hasnextpage|moreitems|istruncated|truncated)$/
const ENTRIES = /^x?(total|count|total(count|items|results|records|elements|entries)|(item|result|record)s?count)$/
const PAGES = /^x?(pages|totalpages|pagecount)$/
/** Objects beside the entries that are about the list, such as `meta.pagination`. */
const ABOUT_LIST = /meta|pag|link/

/**
 * What a list says of itself that makes it only a part: a next page, a cursor, more entries or pages than it has. The API description has
 * no pages, so nothing asks for the others; but entries on them are not missing.
 * @param envelope the body without its entries
 * @param entries how many entries the list has
 * @returns for the message of a run; null if the list does not say so
 */
export function partialReason(
  { headers }: Pick<HttpReply, 'headers'>,
  envelope: unknown,
  entries: number,
): string | null {
  if (/;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(String(headers.link ?? ''))) return 'its Link header has a next page'
  const members = [...membersOf(headers), ...membersOf(envelope)]
  // Some services send a cursor with the last page too.
  const isLast = members.some(([name, value]) => IS_PART.test(name) && value === false)
  for (const [name, value] of members) {
    if (IS_PART.test(name) && value === true) return `its ${name} is true`
    if (FURTHER.test(name) && !isLast && isGiven(value)) return `its ${name} is given`
    if ((ENTRIES.test(name) && Number(value) > entries) || (PAGES.test(name) && Number(value) > 1))
      return `its ${name} is ${Number(value)}, and it has ${entries} entries`
  }
  return null
}

/** The members of an object, and of objects within it that are about the list, by their names without case and punctuation. */
function membersOf(value: unknown): [name: string, value: unknown][] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, member]) => {
    const name = key.toLowerCase().replaceAll(/[^a-z]/g, '')
    return [[name, member], ...(ABOUT_LIST.test(name) ? membersOf(member) : [])] as [string, unknown][]
  })
}

/** Whether a member has a value, or an object has a member with one. */
const isGiven = (value: unknown): boolean =>
  value !== null && typeof value === 'object' ? Object.values(value).some(isGiven) : Boolean(value)
