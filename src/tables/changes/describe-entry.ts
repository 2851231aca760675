import type { ChangeEntry } from './changes.js'

/** What changed in one text: `Katari · Mangroves: Expires 12 Dec (was 1 Dec).` An RFQ is not named. */
export function describeEntry({ entity, label, messages }: ChangeEntry, maxMessages = messages.length): string {
  const more = messages.length - maxMessages
  const shown = [...messages.slice(0, maxMessages), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
  return entity === 'rfq' ? shown : `${label}: ${shown}`
}
