import { nameById } from '../../core/text/rfq-name.js'
import type { ChangeEntry, ChangeGroup } from '../../tables/changes/changes.js'
import { rfqPath } from '../../tables/page-paths.js'
import { withAsOf } from '../pages/page.js'
import { Clock, Moment, minute, plain } from './format.js'

/** Sentences of one RFQ and moment that are shown unfolded. */
const MAX_SENTENCES = 4
/** Sentences that are shown below them when they are unfolded: an RFQ of ten offers that is new has room. */
const MAX_FOLDED = 8

/** What changed, by day, RFQ and moment, newest first. */
export function ChangeList({ groups }: { groups: readonly ChangeGroup[] }) {
  const days = new Map<string, ChangeGroup[]>()
  for (const group of groups) {
    const day = group.observedAt.slice(0, 10)
    days.set(day, [...(days.get(day) ?? []), group])
  }
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <h2>{dayName.format(new Date(day))}</h2>
      <ol class="changes">
        {ofDay.map((group) => (
          <li key={`${group.observedAt} ${group.channel} ${group.rfqId}`}>
            <p class="when">
              <Clock at={group.observedAt} day={day} />
              <After {...group} />
            </p>
            <div>
              <h3>
                <a href={withAsOf(rfqPath(group.channel, nameById(group.rfqId)), group.observedAt)}>
                  {plain(`${group.rfqNumber ?? group.rfqId} ${group.rfqTitle ?? ''}`)}
                </a>{' '}
                <span class="muted small">{group.channel}</span>
              </h3>
              <Sentences entries={group.entries} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  ))
}

/** What changed about one RFQ, by moment, newest first. */
export const RfqChangeList = ({ groups }: { groups: readonly ChangeGroup[] }) => (
  <ol class="changes">
    {groups.map(({ observedAt, notBefore, entries }) => (
      <li key={observedAt}>
        <p class="when">
          <Moment at={observedAt} />
          <After observedAt={observedAt} notBefore={notBefore} />
        </p>
        <Sentences entries={entries} />
      </li>
    ))}
  </ol>
)

/** The poll before; nothing if it was in the same minute, as the read before and after a close. */
const After = ({ observedAt, notBefore }: Pick<ChangeGroup, 'observedAt' | 'notBefore'>) =>
  notBefore === null || minute(notBefore) === minute(observedAt) ? null : (
    <span class="faint small">
      {' after '}
      <Clock at={notBefore} day={observedAt.slice(0, 10)} />
    </span>
  )

const dayName = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
})

type NamedSentences = Pick<ChangeEntry, 'entity' | 'label' | 'messages'>

/** The sentences about one RFQ and moment; the first few, the others folded. */
function Sentences({ entries }: { entries: readonly NamedSentences[] }) {
  const [shown, others] = splitAfter(MAX_SENTENCES, entries)
  const [folded, leftOut] = splitAfter(MAX_FOLDED, others)
  const more = countOf(others)
  const left = countOf(leftOut)
  return (
    <>
      <NamedList entries={shown} />
      {more > 0 && (
        <details>
          <summary class="small">{`${more} more`}</summary>
          <NamedList entries={folded} />
          {left > 0 && <p class="muted small">{`and ${left} more, which the CSV and JSON of Changes have`}</p>}
        </details>
      )}
    </>
  )
}

const countOf = (entries: readonly NamedSentences[]) =>
  entries.reduce((count, { messages }) => count + messages.length, 0)

/** The entries with the first sentences, and those with the others. */
function splitAfter(count: number, entries: readonly NamedSentences[]): [NamedSentences[], NamedSentences[]] {
  const [first, others]: [NamedSentences[], NamedSentences[]] = [[], []]
  let room = count
  for (const entry of entries) {
    const { messages } = entry
    if (room > 0) first.push({ ...entry, messages: messages.slice(0, room) })
    if (messages.length > room) others.push({ ...entry, messages: messages.slice(Math.max(room, 0)) })
    room -= messages.length
  }
  return [first, others]
}

const NamedList = ({ entries }: { entries: readonly NamedSentences[] }) => (
  <ul class="plain">
    {entries.map(({ entity, label, messages }) => (
      <li>
        {entity !== 'rfq' && <span class="muted">{`${plain(label)}: `}</span>}
        {plain(messages.join(' '))}
      </li>
    ))}
  </ul>
)
