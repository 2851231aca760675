/** Whether a parsed value is an object with members. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** A member of a value of any kind; undefined if it does not have it. */
export const memberOf = (value: unknown, name: string): unknown =>
  isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/**
 * Cuts the text of an array into those of its elements, or the text of an object into those of its members, as sent. The
 * array or object is valid JSON if, and only if, each part is.
 * @param text without white space around it
 * @throws SyntaxError if it is neither an array nor an object, or incomplete
 */
export function* partsOf(text: string): Generator<string> {
  const last = text.length - 1
  let [depth, start] = [0, 1]
  for (let at = 0; at <= last; at++) {
    const character = text[at]
    if (character === '"') at = stringEnd(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    const isEnd = depth === 0
    if (isEnd && at !== last) break
    if (!isEnd && (depth > 1 || character !== ',')) continue
    const part = text.slice(start, at).trim()
    if (isEnd && text[last] !== CLOSING[text[0] as string]) break
    if (part !== '' || start > 1 || !isEnd) yield part
    start = at + 1
    if (isEnd) return
  }
  throw new SyntaxError('neither an array nor an object, or incomplete')
}
const CLOSING: Record<string, string> = { '{': '}', '[': ']' }

/** Index of the closing quote of the string that starts at `start`; the length of the text if there is none. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}

/** The members of the text of an object, in the order of the text: a name that occurs twice is given twice. Errors: as `partsOf`. */
export function* membersOf(text: string): Generator<[name: string, text: string]> {
  if (text[0] !== '{') throw new SyntaxError('not an object')
  for (const part of partsOf(text)) {
    const end = stringEnd(part, 0) + 1
    const value = part.slice(end).trimStart()
    if (part[0] !== '"' || value[0] !== ':') throw new SyntaxError('not a member')
    yield [JSON.parse(part.slice(0, end)) as string, value.slice(1).trimStart()]
  }
}
