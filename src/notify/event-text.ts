import type { EventRecord } from '../core/events/events.js'
import { cleanLine } from '../core/text/clean-text.js'

/** The text of an event: plain text in one line each. Text of the marketplace is not escaped. */
export interface EventText {
  title: string
  /** What to do about it, and the hash to keep of a close; null if nothing. */
  remedy: string | null
}

/** Longer than other lines, because a command of `close-expired --approve` and a head hash must be whole. */
const MAX_REMEDY = 600

/** The sentence of an event, which starts with the channel, and what to do. */
export function describeEvent({ channel, text, data }: EventRecord): EventText {
  const head = data.head === undefined ? [] : [`head hash of the decisions: ${data.head}`]
  const line = [...(data.remedy === undefined ? [] : [data.remedy]), ...head].join('; ')
  return {
    title: channel === null ? text : `${channel}: ${text}`,
    remedy: line === '' ? null : cleanLine(line, MAX_REMEDY),
  }
}
