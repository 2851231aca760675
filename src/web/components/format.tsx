import type { ComponentChildren } from 'preact'
import { cleanLine } from '../../core/text/clean-text.js'
import { formatWeekday } from '../../core/text/number-format.js'
import { formatMinute } from '../../core/time/clock.js'

/** Shown for what is unknown. */
export const UNKNOWN = '–'

/** Text from outside on one line, without characters that are not shown or reorder others. */
export const plain = (text: string | null | undefined): string => cleanLine(text ?? '') || UNKNOWN

/** A due date with its weekday; the whole date on hovering. */
export const DueDay = ({ dueDate, daysToDue }: { dueDate: string | null; daysToDue: number | null }) =>
  dueDate === null || daysToDue === null ? (
    <span>{plain(dueDate)}</span>
  ) : (
    <span title={dueDate}>{formatWeekday(dueDate, daysToDue)}</span>
  )

/**
 * A moment, with the exact time for programs and on hovering.
 * @param now names today and yesterday: `yesterday 17:20`
 */
export const Moment = ({ at, now }: { at: string; now?: Date }) => (
  <time datetime={at} title={at} data-now={now?.toISOString()}>
    {now === undefined ? formatMinute(at) : formatMinute(at).replace(/^\S+/, (date) => dayName(date, now))}
  </time>
)

const DAY_MS = 24 * 3_600_000

function dayName(date: string, now: Date): string {
  const [today, yesterday] = [0, 1].map((days) => new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10))
  return date === today ? 'today' : date === yesterday ? 'yesterday' : date
}

export type Tone = 'good' | 'warn' | 'bad' | 'neutral'

/** A word with a colour; the word carries the meaning. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** What has just happened, or went wrong, above the rest of a page. Read out by screen readers. */
export const Notice = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <p class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </p>
)

/** The age of the shown data, at the end of a line of facts. It changes on every load, so it does not count as a change of the page. */
export const Ages = ({ of }: { of: readonly (string | null)[] }) => (
  <span data-volatile>{of.map((message) => (message ? ` · ${message}` : ''))}</span>
)

/** A command to copy; it breaks between its words only, never after the hyphens of an option. */
export const Command = ({ text, quiet = false }: { text: string; quiet?: boolean }) => (
  <code class={quiet ? 'small muted' : undefined}>
    {plain(text)
      .split(' ')
      .map((word, at) => [at > 0 && ' ', <span class="line">{word}</span>])}
  </code>
)

/** A sentence with commands in backticks. */
export const WithCommands = ({ text }: { text: string }) =>
  text.split('`').map((part, at) => (at % 2 === 0 ? part : <Command text={part} />))
