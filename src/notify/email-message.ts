import { oneLine } from '../core/events/event-text.js'
import type { EventRecord } from '../core/events/events.js'
import { formatMinute } from '../core/time/clock.js'
import { FONTS, lightColour, SIZES } from '../tables/look/colours.js'
import { escapeMarkup } from '../tables/look/markup.js'
import { countedEvents, describeEvent } from './event-text.js'

export interface EmailContent {
  /** One line. */
  subject: string
  text: string
  html: string
}

const MAX_SUBJECT = 150

interface Item {
  at: string
  title: string
  /** What to do about it, or null. */
  remedy: string | null
}

/** A message about events, as text and as a page of HTML: first what there is to do, then what else changed. */
export function emailMessage(events: readonly EventRecord[]): EmailContent {
  const items = events.map((event): Item => ({ at: event.at, ...describeEvent(event) }))
  const [first] = items
  const only = items.length === 1 ? first : undefined
  const heading = only?.title ?? countedEvents(events)
  const [toDo, others] = [items.filter(({ remedy }) => remedy !== null), items.filter(({ remedy }) => remedy === null)]
  const groups = [
    { title: only === undefined ? 'To do' : '', items: toDo },
    { title: toDo.length === 0 ? '' : 'Other changes', items: others },
  ].filter((group) => group.items.length > 0)
  return {
    subject: oneLine(`Quotekeeper: ${heading}`, MAX_SUBJECT),
    text: [...groups.flatMap(groupText), FOOTER].join('\n'),
    // The heading says already what the only event is.
    html: page(
      oneLine(heading),
      groups.map((group) => groupHtml(group, only === undefined)),
    ),
  }
}

const FOOTER = 'Times are in UTC. Sent by Quotekeeper; what is sent is set under notify: in its configuration.'

const groupText = ({ title, items }: { title: string; items: readonly Item[] }): string[] => [
  ...(title === '' ? [] : [`${title}:`]),
  ...items.flatMap((item) => [
    `${formatMinute(item.at)}  ${item.title}`,
    ...(item.remedy === null ? [] : [`    → ${item.remedy}`]),
  ]),
  '',
]

// --- HTML, whose styles are in its elements, because mail programs drop style sheets ---------------------------------

const [INK, MUTED, LINE] = [lightColour('ink'), lightColour('muted'), lightColour('line')]
const SMALL = `font-size:${SIZES.t4};color:${MUTED}`

const element = (name: string, style: string, content: string) =>
  `<${name} style="${escapeMarkup(style)}">${content}</${name}>`

function groupHtml({ title, items }: { title: string; items: readonly Item[] }, isNamed: boolean): string {
  const heading =
    title === '' ? '' : element('h2', `margin:${SIZES.s5} 0 ${SIZES.s1};font-size:${SIZES.t2};font-weight:600`, title)
  const cell = `padding:${SIZES.s2} 0;border-bottom:1px solid ${LINE};vertical-align:top`
  const rows = items.map(({ at, title: words, remedy }) => {
    const next = remedy === null ? '' : element('div', 'font-weight:600', `→ ${escapeMarkup(remedy)}`)
    const time = element('div', `${SMALL};font-variant-numeric:tabular-nums`, formatMinute(at))
    return `<tr>${element('td', cell, `${isNamed ? escapeMarkup(words) : ''}${next}${time}`)}</tr>`
  })
  return `${heading}<table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="border-collapse:collapse">${rows.join('\n')}</table>`
}

const page = (heading: string, parts: readonly string[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeMarkup(heading)}</title></head>
<body style="margin:0;padding:${SIZES.s4};background:#fff">${element(
  'div',
  `max-width:640px;font:${SIZES.t3}/1.5 ${FONTS};color:${INK}`,
  element('h1', `margin:0 0 ${SIZES.s2};font-size:${SIZES.t1};line-height:1.3;font-weight:600`, escapeMarkup(heading)) +
    parts.join('\n') +
    element('p', `margin:${SIZES.s5} 0 0;${SMALL}`, FOOTER),
)}</body></html>
`
