import type { EventRecord } from '../core/events/events.js'
import { cleanLine } from '../core/text/clean-text.js'
import { formatMinute } from '../core/time/clock.js'
import { FONTS, lightColour, SIZES } from '../tables/look/colours.js'
import { escapeMarkup } from '../tables/look/markup.js'
import { describeEvent, type EventText } from './event-text.js'

const MAX_SUBJECT = 120

/** A message about events, as text and as a page of HTML: first those with something to do. */
export function emailMessage(events: readonly EventRecord[]) {
  const all = events.map((event): Item => ({ at: event.at, ...describeEvent(event) }))
  const items = [...all.filter(({ remedy }) => remedy !== null), ...all.filter(({ remedy }) => remedy === null)]
  const more = items.length > 1 ? `, and ${items.length - 1} more` : ''
  const heading = `${cleanLine(items[0]?.title ?? '', MAX_SUBJECT)}${more}`
  return {
    subject: `Quotekeeper: ${heading}`,
    text: [...items.flatMap(itemText), '', FOOTER].join('\n'),
    html: page(heading, items.map(itemHtml)),
  }
}

interface Item extends EventText {
  at: string
}

const FOOTER = 'Times are in UTC. Sent by Quotekeeper; what is sent is set under notify: in its configuration.'

const itemText = ({ at, title, remedy }: Item): string[] => [
  `${formatMinute(at)}  ${title}`,
  ...(remedy === null ? [] : [`    → ${remedy}`]),
]

// --- HTML, whose styles are in its elements, because mail programs drop style sheets ---------------------------------

const [INK, MUTED, LINE] = [lightColour('ink'), lightColour('muted'), lightColour('line')]
const SMALL = `font-size:${SIZES.t4};color:${MUTED}`

const element = (name: string, style: string, content: string) =>
  `<${name} style="${escapeMarkup(style)}">${content}</${name}>`

const CELL = `padding:${SIZES.s2} 0;border-bottom:1px solid ${LINE};vertical-align:top`

function itemHtml({ at, title, remedy }: Item): string {
  const next = remedy === null ? '' : element('div', 'font-weight:600', `→ ${escapeMarkup(remedy)}`)
  const time = element('div', `${SMALL};font-variant-numeric:tabular-nums`, formatMinute(at))
  return `<tr>${element('td', CELL, `${escapeMarkup(title)}${next}${time}`)}</tr>`
}

const page = (heading: string, rows: readonly string[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeMarkup(heading)}</title></head>
<body style="margin:0;padding:${SIZES.s4};background:#fff">${element(
  'div',
  `max-width:640px;font:${SIZES.t3}/1.5 ${FONTS};color:${INK}`,
  `<table role="presentation" cellpadding="0" cellspacing="0" width="100%" style="border-collapse:collapse">${rows.join('\n')}</table>` +
    element('p', `margin:${SIZES.s5} 0 0;${SMALL}`, FOOTER),
)}</body></html>
`
