import { relative } from 'node:path'
import type { ChannelConfig } from '../../config/contract.js'
import type { DecisionRecord } from '../../core/records.js'
import { plural } from '../../tables/print/terminal-text.js'
import type { ServiceEvent } from './service-monitor.js'

/** What the polls of a channel found: `14 listings, 12 RFQs with 37 offers, in 51 requests`. */
export function summarizePolls(channel: string, events: readonly ServiceEvent[]): string {
  const results = events
    .flatMap((event) => (event.kind === 'polled' ? [event.result] : []))
    .filter(({ run }) => run.channel === channel)
  const changes = results.flatMap((result) => result.changes)
  const found = (kind: keyof typeof NOUNS) =>
    plural(changes.filter((change) => change.kind === kind).length, NOUNS[kind])
  const requests = results.reduce((sum, { run }) => sum + run.requests, 0)
  return `${found('listing')}, ${found('rfq')} with ${found('response')}, in ${plural(requests, 'request')}`
}

/** What closing rounds decided about the RFQs of a channel, one line each. */
export function summarizeClosing({ key, autoClose }: ChannelConfig, events: readonly ServiceEvent[]): string[] {
  const decisions = events
    .flatMap((event) => (event.kind === 'closed' ? event.result.decisions : []))
    .filter(({ channel, decision }) => channel === key && decision !== 'keep')
  if (decisions.length > 0) return decisions.map(describeDecision)
  return [autoClose === 'off' ? 'skipped (autoClose: off)' : 'no RFQs are past due']
}

function describeDecision({ rfqNumber, rfqId, dueDate, decision, outcome, reason }: DecisionRecord): string {
  const rfq = `RFQ ${rfqNumber ?? rfqId}, due ${dueDate}`
  if (decision === 'would-close') return `${rfq}: would be closed (autoClose: dry-run)`
  if (outcome === 'closed') return `${rfq}: closed and verified`
  return `${rfq}: ${outcome ?? decision} (${reason})`
}

/**
 * Describes an event of the service, one line per fact; no lines if nothing changed.
 * @param folder the demo's folder, to which paths are shown relative
 */
export function describeServiceEvent(event: ServiceEvent, folder: string): string[] {
  if (event.kind === 'failed') return [`the ${event.action} failed: ${event.error.message}`]
  if (event.kind === 'reported') return [`${event.channel}: wrote ${relative(folder, event.path)}`]
  if (event.kind === 'closed') {
    return event.result.decisions
      .filter(({ decision }) => decision !== 'keep')
      .map((decision) => `${decision.channel}: ${describeDecision(decision)}`)
  }
  const { run, changes } = event.result
  const found = (['inserted', 'changed', 'missing'] as const).flatMap((change) => countChanges(changes, change))
  return found.length === 0 ? [] : [`${run.channel}: found ${found.join(', ')}`]
}

type Changes = Extract<ServiceEvent, { kind: 'polled' }>['result']['changes']
const NOUNS = { listing: 'listing', rfq: 'RFQ', response: 'offer' }
const ADJECTIVES = { inserted: 'new', changed: 'changed', missing: 'missing' }

const countChanges = (changes: Changes, change: keyof typeof ADJECTIVES): string[] =>
  (['rfq', 'response', 'listing'] as const).flatMap((kind) => {
    const number = changes.filter((each) => each.kind === kind && each.change === change).length
    return number === 0 ? [] : [plural(number, `${ADJECTIVES[change]} ${NOUNS[kind]}`)]
  })
