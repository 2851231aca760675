import type { EventRecord } from '../core/events/events.js'
import { formatCount } from '../core/text/number-format.js'
import { describeEvent } from './event-text.js'

type Shape = 'slack' | 'teams'

/** The maximum length of a message for each chat, in bytes, without the last line, which counts the omitted events. */
const MAX_BYTES: Record<Shape, number> = { slack: 3500, teams: 12_000 }

/** The JSON body of a message about events. Escapes text of the marketplace, so that it cannot mention, link or format. */
export function chatMessage(shape: Shape, events: readonly EventRecord[]): object {
  return MESSAGES[shape](fittingLines(shape, events))
}

/** As many lines as fit, one for each event, escaped for the chat. */
function fittingLines(shape: Shape, events: readonly EventRecord[]): string[] {
  const lines: string[] = []
  let bytes = 0
  for (const [at, event] of events.entries()) {
    const { title, remedy } = describeEvent(event)
    const line = ESCAPES[shape](remedy === null ? title : `${title} — ${remedy}`)
    const size = Buffer.byteLength(line)
    if (lines.length > 0 && bytes + size > MAX_BYTES[shape]) {
      return [...lines, `… and ${formatCount(events.length - at, 'more event')}`]
    }
    lines.push(line)
    bytes += size + 1
  }
  return lines
}

const ESCAPES: Record<Shape, (text: string) => string> = {
  // With `mrkdwn: false`, only these three have a meaning: <!channel>, <@user>, <https://…|text>.
  slack: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  // A TextRun is not Markdown; two braces begin a date or a template.
  teams: (text) => text.replaceAll('{', '{\u200b'),
}

const MESSAGES: Record<Shape, (lines: readonly string[]) => object> = {
  slack: (lines) => ({
    text: lines.join('\n'),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }),
  teams: (lines) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: lines.map((text) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] })),
        },
      },
    ],
  }),
}
