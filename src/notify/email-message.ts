import { type EventRecord, groupBursts } from '../core/events/events.js'
import { countedEvents, describeBurst, oneLine } from './event-text.js'

export interface EmailContent {
  /** One line. */
  subject: string
  text: string
  html: string
}

const MAX_SUBJECT = 150
/** Further bursts are only counted. */
const MAX_BURSTS = 200

/** A message about events, as text and as a page of HTML. */
export function emailMessage(events: readonly EventRecord[]): EmailContent {
  const bursts = groupBursts(events)
  const shown = bursts.slice(0, MAX_BURSTS).map((burst) => ({ at: burst[0].at, ...describeBurst(burst) }))
  const left = bursts.slice(MAX_BURSTS).flat()
  const [first] = shown
  const isSingle = bursts.length === 1 && first !== undefined
  const heading = isSingle ? first.title : countedEvents(events)
  const more = left.length > 0 ? `… and ${countedEvents(left)}` : null
  const text = shown.map(({ at, title, remedy }) => `${minute(at)}  ${title}${remedy ? `\n    → ${remedy}` : ''}`)
  const rows = shown.map(
    ({ at, title, remedy }) =>
      `<tr><td class="t">${minute(at)}</td><td>${escapeHtml(title)}${remedy ? `<div class="r">${escapeHtml(remedy)}</div>` : ''}</td></tr>`,
  )
  return {
    subject: oneLine(`Quotekeeper: ${heading}`, MAX_SUBJECT),
    text: [...text, ...(more ? [more] : []), '', FOOTER].join('\n'),
    html: page(escapeHtml(oneLine(heading)), [
      ...rows,
      ...(more ? [`<tr><td></td><td>${escapeHtml(more)}</td></tr>`] : []),
    ]),
  }
}

const FOOTER = 'Times are in UTC. Sent by Quotekeeper; what is sent is set under notify: in its configuration.'

/** `2026-01-31 12:00`. */
const minute = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ')

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

const page = (heading: string, rows: readonly string[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${heading}</title><style>
body{font:15px/1.5 system-ui,sans-serif;color:#1c2733;margin:24px;max-width:760px}
h1{font-size:18px;margin:0 0 16px}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #dfe4ea;padding:8px 12px 8px 0;vertical-align:top}
.t{color:#5a6875;white-space:nowrap;font-variant-numeric:tabular-nums}.r,footer{color:#5a6875;font-size:13px}
footer{margin-top:20px}</style></head>
<body><h1>${heading}</h1><table>${rows.join('\n')}</table><footer>${FOOTER}</footer></body></html>
`
