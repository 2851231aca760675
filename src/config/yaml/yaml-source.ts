import { LineCounter, parseDocument, type YAMLError } from 'yaml'

/** A mistake in a YAML file, described without the terms of a parser, and without values, which may be secrets. */
export interface YamlMistake {
  /** Counted from 1. */
  line: number
  /** The key whose value is wrong; empty if that is not clear. */
  key: string
  found: string
  allowed: string
}

/** A parsed text with its lines. */
export class YamlSource {
  readonly document
  readonly lines: string[]
  readonly #counter = new LineCounter()

  constructor(readonly text: string) {
    this.document = parseDocument(text, { lineCounter: this.#counter, prettyErrors: false })
    this.lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  }

  lineAt(offset: number): number {
    return this.#counter.linePos(offset).line
  }

  /** A line, counted from 1. */
  line(number: number): string {
    return this.lines[number - 1] ?? ''
  }

  /** Duplicate keys are no error of syntax. */
  get syntaxErrors(): YAMLError[] {
    return this.document.errors.filter(({ code }) => code !== 'DUPLICATE_KEY').sort((a, b) => a.pos[0] - b.pos[0])
  }

  /** The key before a value that begins at an offset. */
  keyBefore(offset: number): string {
    return shownKey(/([\w-]+)\s*:\s*$/.exec(this.#before(offset))?.[1] ?? '')
  }

  /** The text with null in place of the value at an offset. */
  withoutValue(offset: number): string {
    const before = this.#before(offset)
    const isWithinBrackets = count(before, /[{[]/g) > count(before, /[}\]]/g)
    const rest = this.text.slice(offset).search(isWithinBrackets ? /[,}\]\n]|$/ : /\r?\n|$/)
    return `${this.text.slice(0, offset)}null${this.text.slice(offset + rest)}`
  }

  /** The offset of a value with what precedes it, such as an anchor. */
  valueStart(offset: number): number {
    const [, prefix = ''] = /([&!*]\S*\s*)$/.exec(this.#before(offset)) ?? []
    return offset - prefix.length
  }

  /** The line of an offset up to it. */
  #before(offset: number): string {
    return this.text.slice(lineStart(this.text, offset), offset)
  }
}

/** Text before a colon may be a part of a pasted secret, which is not shown. */
export const shownKey = (key: string) => (/^[A-Za-z]{1,24}$/.test(key) ? key : '')
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
export const quoteIt = (key: string) => `quote it: ${key === '' ? '' : `${key}: `}"…"`

/** The offset where the line of an offset begins. */
export const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1
