import type { YAMLError } from 'yaml'
import { beginsWith, missingColon, TIGHT_COLON } from './yaml-content-mistakes.js'
import { lineStart, quoteIt, shownKey, type YamlMistake, type YamlSource } from './yaml-source.js'

/** A mistake, and the text without it; null if what follows cannot be judged before it is corrected. */
interface Diagnosis {
  mistake: YamlMistake
  repaired: string | null
}

/** Explains an error of the parser. */
export function diagnose(error: YAMLError, source: YamlSource): Diagnosis {
  return (
    directive(source) ??
    tabs(source) ??
    unclosedQuote(error, source) ??
    unclosedBracket(error, source) ??
    specialStart(error, source) ??
    brokenLine(error, source) ??
    knownError(error, source) ?? {
      mistake: {
        line: source.lineAt(error.pos[0]),
        key: '',
        found: 'text that is not valid YAML',
        allowed: '"key: value", indented by spaces; a value with special characters in quotes',
      },
      repaired: null,
    }
  )
}

/** The parser expects a whole document after such a line. */
const directive = ({ text }: YamlSource): Diagnosis | null =>
  text.startsWith('%') ? finalMistake(1, 'a line that begins with %', '"key: value"') : null

/** All tabs are one mistake. */
function tabs({ lines, syntaxErrors }: YamlSource): Diagnosis | null {
  if (!syntaxErrors.some(({ code }) => code === 'TAB_AS_INDENT')) return null
  const indented = lines.flatMap((line, index) => (/^ *\t\s*[^\s#]/.test(line) ? [index + 1] : []))
  const [first, ...others] = indented
  if (first === undefined) return null
  const also =
    others.length === 0
      ? ''
      : ` (also in ${others.length === 1 ? `line ${others[0]}` : `${others.length} later lines`})`
  return finalMistake(first, `a tab at the beginning of the line${also}`, 'spaces; YAML allows no tabs there')
}

/** A mistake after which the rest of the text cannot be judged. */
const finalMistake = (line: number, found: string, allowed: string, key = ''): Diagnosis => ({
  mistake: { line, key, found, allowed },
  repaired: null,
})

/** A value that begins with a quote, without a second one in its line. Further text is within the quotes then. */
function unclosedQuote({ pos: [offset], message }: YAMLError, source: YamlSource): Diagnosis | null {
  const last = source.lineAt(offset)
  for (let number = 1; number <= last; number++) {
    const [, key = '', quote = '', rest = ''] = OPEN_VALUE.exec(source.line(number)) ?? []
    if (quote === '' || closes(rest, quote)) continue
    const between = source.lines.slice(number, last - 1)
    if (!message.includes('quote') && between.some((line) => line.includes(quote))) continue
    const found = `a value that begins with ${quote} and does not end with it`
    return finalMistake(number, found, `${quote} at the end of the value too`, shownKey(key))
  }
  return null
}

const OPEN_VALUE = /^\s*(?:-\s+)*(?:([\w-]+)\s*:\s+)?(["'])(.*)$/
const closes = (rest: string, quote: string) =>
  quote === '"' ? /^(?:[^"\\]|\\.)*"/.test(rest) : /^(?:[^']|'')*'/.test(rest)

/** A `{` or `[` without its end, or an end without its beginning. */
function unclosedBracket({ code, message }: YAMLError, source: YamlSource): Diagnosis | null {
  if (code === 'BLOCK_IN_FLOW' || !/flow|Flow/.test(message)) return null
  const open: { bracket: string; line: number }[] = []
  for (const [index, line] of source.lines.entries()) {
    for (const [bracket] of line.replace(/(^|\s)#.*|"[^"]*"|'[^']*'/g, '').matchAll(/[{}[\]]/g)) {
      if (bracket === '{' || bracket === '[') open.push({ bracket, line: index + 1 })
      else if (open.pop()?.bracket !== (bracket === '}' ? '{' : '['))
        return finalMistake(
          index + 1,
          `a ${bracket} without its ${bracket === '}' ? '{' : '['}`,
          'as many } as { and ] as [',
        )
    }
  }
  const last = open.at(-1)
  if (!last) return null
  const end = last.bracket === '{' ? '}' : ']'
  return finalMistake(
    last.line,
    `a ${last.bracket} that is not closed`,
    `${end} at its end, in the same line if possible`,
  )
}

/** A value that begins with a character that has a meaning. */
function specialStart({ code, pos: [offset] }: YAMLError, source: YamlSource): Diagnosis | null {
  const number = source.lineAt(offset)
  const line = source.line(number)
  const start = lineStart(source.text, offset)
  const [prefix = '', key = '', character] = SPECIAL_VALUE.exec(line) ?? []
  const isBlockValue = character !== undefined && (code !== 'BLOCK_AS_IMPLICIT_KEY' || character === '?')
  const at = isBlockValue ? start + prefix.length - 1 : code === 'BAD_SCALAR_START' ? offset : null
  if (at === null) return null
  const mistake = beginsWith(source.text[at] ?? '')(source, at)
  return { mistake: { ...mistake, line: number, key: mistake.key || shownKey(key) }, repaired: source.withoutValue(at) }
}

const SPECIAL_VALUE = /^\s*(?:-\s+)*([\w-]+)\s*:\s+([@`%*&!|>?])/

/** A space, a colon or the indentation of a line is wrong. */
function brokenLine({ code, pos, message }: YAMLError, source: YamlSource): Diagnosis | null {
  if (!['MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY', 'BLOCK_AS_IMPLICIT_KEY', 'BAD_INDENT'].includes(code)) return null
  const number = source.lineAt(pos[0])
  const line = source.line(number)
  const [, dash] = /^\s*(-)[^\s-]/.exec(line) ?? []
  if (dash) return finalMistake(number, 'no space after the dash', 'a space between the dash and the item')
  const [, key = ''] = TIGHT_COLON.exec(line) ?? []
  if (key !== '' || (!line.includes(':') && !/^\s*-(\s|$)/.test(line))) {
    const { found, allowed } = missingColon(line)
    return finalMistake(number, found, allowed, shownKey(key))
  }
  const wrong = wronglyIndented({ code, pos, message }, source)
  if (wrong !== null) return indentation(wrong, source)
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return null
  const name = source.keyBefore(pos[0])
  return {
    mistake: { line: number, key: name, found: 'a value that contains ": "', allowed: quoteIt(name) },
    repaired: source.withoutValue(pos[0]),
  }
}

/** The line whose indentation an error is about, or null if it is about something else. */
function wronglyIndented(
  { code, pos, message }: Pick<YAMLError, 'code' | 'pos' | 'message'>,
  source: YamlSource,
): number | null {
  if (code === 'BAD_INDENT' || message.startsWith('Sequence item')) return source.lineAt(pos[0])
  // The value of the key goes on in a later line, which looks like a key.
  const pair = source.document.errors.find((each) => each.code === 'MULTILINE_IMPLICIT_KEY' && each.pos[0] === pos[0])
  return pair ? source.lineAt(pair.pos[1] - 1) : null
}

function indentation(number: number, source: YamlSource): Diagnosis {
  const previous = source.lines.slice(0, number - 1).findLastIndex((line) => /^[^#]*:/.test(line)) + 1
  const column = (line: string) => /^\s*(?:-\s+)*/.exec(line)?.[0].length ?? 0
  const spaces = (amount: number) => (amount === 1 ? '1 space' : amount === 0 ? 'no space' : `${amount} spaces`)
  const [found, expected] = [column(source.line(number)), column(source.line(previous))]
  if (previous === 0 || found === expected)
    return finalMistake(
      number,
      'an indentation that fits no section above',
      'two spaces more than the key of its section',
    )
  return finalMistake(
    number,
    `${spaces(found)} before the key, although keys of its section have ${spaces(expected)}`,
    `the same indentation as the other keys of its section, as in line ${previous}`,
  )
}

/** Errors that say enough by themselves. */
function knownError({ code, pos: [offset], message }: YAMLError, source: YamlSource): Diagnosis | null {
  const [line, key] = [source.lineAt(offset), source.keyBefore(offset)]
  switch (code) {
    case 'BLOCK_IN_FLOW':
      return finalMistake(
        line,
        'no comma between two keys within { }',
        'a comma between them: { key: value, key: value }',
      )
    case 'BAD_DQ_ESCAPE': {
      const start = lineStart(source.text, offset)
      const value = start + source.line(line).search(/(?<=:\s*)"/)
      const name = value < start ? '' : source.keyBefore(value)
      const mistake = {
        line,
        key: name,
        found: 'a backslash within double quotes',
        allowed: 'single quotes, or two backslashes',
      }
      return { mistake, repaired: value < start ? null : source.withoutValue(value) }
    }
    case 'MULTIPLE_DOCS':
      return finalMistake(line, 'a line --- in the middle of the file', 'one configuration per file; remove the line')
    case 'UNEXPECTED_TOKEN': {
      if (message.includes('on same line with key'))
        return finalMistake(
          line,
          'a list item in the line of its key',
          'each item in a line of its own, below the key',
          key,
        )
      const isAfterQuote = /["']\s*$/.test(source.text.slice(lineStart(source.text, offset), offset))
      return isAfterQuote
        ? finalMistake(
            line,
            'text after the closing quote',
            'one pair of quotes around the whole value; a comment begins with " #"',
          )
        : null
    }
    default:
      return null
  }
}
