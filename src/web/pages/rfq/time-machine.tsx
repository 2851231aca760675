import type { Moment } from '../../../views/rfq/timeline.js'
import { minute, plain } from '../../components/format.js'
import type { PageRequest, Parameters } from '../page.js'

interface TimeMachineProps {
  /** Newest first. */
  moments: readonly Moment[]
  asOf: Date | undefined
  link: PageRequest['link']
  query: Parameters
}

/** The moments at which something changed: the page as of each of them. A script turns the list into a slider. */
export function TimeMachine({ moments, asOf, link, query }: TimeMachineProps) {
  if (moments.length === 0) return null
  const at = asOf === undefined ? 0 : moments.findIndex((moment) => new Date(moment.at) <= asOf)
  const current = at === -1 ? moments.length - 1 : at
  const [earlier, later] = [moments[current + 1], moments[current - 1]]
  const target = (moment: Moment, index: number) => link({ as_of: index === 0 ? null : moment.at })
  const changed = moments.slice(current).find(({ recommendation }) => recommendation !== null)
  return (
    <>
      <form class="timestrip noprint" method="get">
        {Object.entries(query)
          .filter(([name]) => name !== 'as_of')
          .map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
        {earlier ? (
          <a href={target(earlier, current + 1)} rel="prev">
            ← Earlier
          </a>
        ) : (
          <span class="muted">← Earlier</span>
        )}
        <label for="as_of">As of</label>
        <select id="as_of" name="as_of">
          {moments.map((moment, index) => (
            <option
              key={moment.at}
              value={index === 0 ? '' : moment.at}
              selected={asOf !== undefined ? index === current : index === 0}
              data-mark={moment.recommendation === null ? undefined : ''}
            >
              {`${index === 0 ? 'now; last change ' : ''}${minute(moment.at)} · ${plain(moment.message)}`}
            </option>
          ))}
        </select>
        <button type="submit">Show</button>
        {later && asOf !== undefined ? (
          <a href={target(later, current - 1)} rel="next">
            Later →
          </a>
        ) : (
          <span class="muted">Later →</span>
        )}
      </form>
      {changed && (
        <p class="muted">
          Recommendation since {minute(changed.at)}: {plain(changed.recommendation)}.
        </p>
      )}
    </>
  )
}
