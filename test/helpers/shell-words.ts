/** What a shell acts upon where it is not quoted. */
const SPECIAL = /[`$&|;<>()*?~#!{}[\]^]|^=/

/** A part of a word: in single quotes, escaped, or as it is. */
const PART = /'([^']*)'|\\([^\n])|([^\s'"\\]+)/y

/**
 * The words after `quotekeeper` that a POSIX shell makes of a command line.
 * @throws RangeError for what it would not take as it is
 */
export function shellText(command: string): string[] {
  const message: string[] = []
  for (let at = 0; at < command.length; ) {
    if (/[ \t]/.test(command[at] as string)) at++
    else {
      const { word, end } = readWord(command, at)
      message.push(word)
      at = end
    }
  }
  if (message.shift() !== 'quotekeeper') throw new RangeError(`${command} is not a command of Quotekeeper`)
  return message
}

function readWord(command: string, start: number): { word: string; end: number } {
  let word = ''
  PART.lastIndex = start
  for (let end = start; ; end = PART.lastIndex) {
    const part = PART.exec(command)
    if (part === null) {
      if (end === start || /["'\\\n]/.test(command[end] ?? ''))
        throw new RangeError(`${command} ends within a quotation`)
      return { word, end }
    }
    const [, quoted, escaped, plain = ''] = part
    if (SPECIAL.test(plain)) throw new RangeError(`${command} is not quoted`)
    word += quoted ?? escaped ?? plain
  }
}
