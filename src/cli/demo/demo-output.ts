import { relative } from 'node:path'
import type { ChannelConfig } from '../../config.js'
import type { DecisionRecord } from '../../domain/records.js'
import type { WorldEvent } from '../../sandbox/index.js'
import { formatMinute } from '../output.js'
import type { Io } from '../process-io.js'
import { plural, sanitize, truncate, wrap } from '../terminal-text.js'
import type { Deed } from './service-monitor.js'

/** Widest line of prose, in columns. */
const WIDEST = 96

/** Tells the demo to somebody who sees it for the first time. */
export class Story {
  readonly #io: Io
  readonly #width: number
  constructor(io: Io) {
    this.#io = io
    this.#width = Math.min(io.width ?? WIDEST, WIDEST)
  }

  /** A chapter: a heading and what it is about. */
  chapter(heading: string, prose: string): void {
    this.#io.out(`\n${this.#bold(heading)}\n`)
    for (const line of wrap(prose, this.#width)) this.#io.out(`${line}\n`)
  }

  /** Facts under a chapter, a name and a value each; long values go on below. */
  facts(facts: readonly (readonly [name: string, value: string])[]): void {
    const indent = Math.max(...facts.map(([name]) => name.length)) + 4
    for (const [name, value] of facts) {
      // A path is never broken, so that it can be copied.
      const lines = wrap(sanitize(value), Math.max(20, this.#width - indent))
      this.#io.out(`  ${name.padEnd(indent - 2)}${lines.join(`\n${' '.repeat(indent)}`)}\n`)
    }
  }

  /** One thing that happens while the demo lives on. */
  event(at: Date, who: string, text: string): void {
    const line = `${formatMinute(at.toISOString())}  ${who.padEnd(11)} ${sanitize(text)}`
    this.#io.out(`${this.#io.width === null ? line : truncate(line, this.#io.width)}\n`)
  }

  blank(): void {
    this.#io.out('\n')
  }

  #bold(text: string): string {
    return this.#io.colour.out ? `\u001b[1m${text}\u001b[22m` : text
  }
}

/** `14 listings, 12 RFQs with 37 offers`: what the first polls of a channel found. */
export function foundIn(channel: string, deeds: readonly Deed[]): string {
  const results = deeds.flatMap((deed) => (deed.kind === 'polled' ? [deed.result] : []))
  const changes = results.filter(({ run }) => run.channel === channel).flatMap((result) => result.changes)
  const number = (kind: 'listing' | 'rfq' | 'response') => changes.filter((change) => change.kind === kind).length
  const requests = results.filter(({ run }) => run.channel === channel).reduce((sum, { run }) => sum + run.requests, 0)
  return `${plural(number('listing'), 'listing')}, ${plural(number('rfq'), 'RFQ')} with ${plural(number('response'), 'offer')}, in ${plural(requests, 'request')}`
}

/** What became of the RFQs of a channel in closing rounds, a line each. */
export function closedIn({ key, autoClose }: ChannelConfig, deeds: readonly Deed[]): string[] {
  const decisions = deeds
    .flatMap((deed) => (deed.kind === 'closed' ? deed.result.decisions : []))
    .filter(({ channel, decision }) => channel === key && decision !== 'keep')
  if (decisions.length > 0) return decisions.map(decisionInWords)
  return [autoClose === 'off' ? 'left alone (autoClose: off)' : 'nothing is past its due date']
}

export function decisionInWords({ rfqNumber, rfqId, dueDate, decision, outcome, reason }: DecisionRecord): string {
  const rfq = `RFQ ${rfqNumber ?? rfqId}, due ${dueDate}`
  if (decision === 'would-close') return `${rfq}: would be closed, but the channel is on autoClose: dry-run`
  if (outcome === 'closed') return `${rfq}: closed, and read again to be sure`
  return `${rfq}: ${outcome ?? decision} (${reason})`
}

/** What a deed of the service is told as while the demo lives on; null for what nobody needs to hear. */
export function deedInWords(deed: Deed, folder: string): string[] {
  if (deed.kind === 'failed') return [`the ${deed.what} failed: ${deed.error.message}`]
  if (deed.kind === 'reported') return [`${deed.channel}: workbook ${relative(folder, deed.path)}`]
  if (deed.kind === 'closed') {
    return deed.result.decisions
      .filter(({ decision }) => decision !== 'keep')
      .map((decision) => `${decision.channel}: ${decisionInWords(decision)}`)
  }
  const { run, changes } = deed.result
  const seen = (['inserted', 'changed', 'missing'] as const).flatMap((change) => inWords(changes, change))
  return seen.length === 0 ? [] : [`${run.channel}: saw ${seen.join(', ')}`]
}

type Changes = Extract<Deed, { kind: 'polled' }>['result']['changes']
const NOUNS = { listing: 'listing', rfq: 'RFQ', response: 'offer' }
const ADJECTIVES = { inserted: 'new', changed: 'changed', missing: 'missing' }

const inWords = (changes: Changes, change: keyof typeof ADJECTIVES): string[] =>
  (['rfq', 'response', 'listing'] as const).flatMap((kind) => {
    const number = changes.filter((each) => each.kind === kind && each.change === change).length
    return number === 0 ? [] : [plural(number, `${ADJECTIVES[change]} ${NOUNS[kind]}`)]
  })

/** A happening of the marketplace, as a line. */
export const happeningInWords = ({ channel, text }: WorldEvent) => `${channel}: ${text}`
