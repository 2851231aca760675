import type { Moment } from '../../../tables/rfq/timeline.js'
import { Moment as MomentView, minute, plain } from '../../components/format.js'
import type { PageRequest, Parameters } from '../page.js'

interface TimeStripProps {
  /** Newest first. */
  moments: readonly Moment[]
  asOf: Date | undefined
  link: PageRequest['link']
  query: Parameters
}

/** The moments at which something changed: the page as of each of them. A script turns the list into a slider. */
export function TimeStrip({ moments, asOf, link, query }: TimeStripProps) {
  if (moments.length === 0) return null
  const at = asOf === undefined ? 0 : moments.findIndex((moment) => new Date(moment.at) <= asOf)
  const current = at === -1 ? moments.length - 1 : at
  const [earlier, later] = [moments[current + 1], moments[current - 1]]
  const target = (moment: Moment, index: number) => link({ as_of: index === 0 ? null : moment.at })
  const changed = moments.slice(current).find(({ recommendation }) => recommendation !== null)
  return (
    <>
      <div class="timestrip noprint">
        {earlier ? (
          <a href={target(earlier, current + 1)} rel="prev">
            ← Earlier
          </a>
        ) : (
          <span class="muted">← Earlier</span>
        )}
        <form class="timestrip" method="get">
          <Kept query={query} />
          <label for="as_of">As of</label>
          <select id="as_of" name="as_of">
            {moments.map((moment, index) => (
              <option
                key={moment.at}
                value={index === 0 ? '' : moment.at}
                selected={asOf !== undefined ? index === current : index === 0}
                data-at={moment.at}
                data-mark={moment.recommendation === null ? undefined : ''}
              >
                {`${index === 0 ? 'now; last change ' : ''}${minute(moment.at)} · ${plain(moment.message)}`}
              </option>
            ))}
          </select>
          <button type="submit">Show</button>
        </form>
        <form class="timestrip" method="get">
          <Kept query={query} />
          <label for="as_of_day">or the end of</label>
          <input id="as_of_day" type="date" name="as_of" required />
          <button type="submit">Show</button>
        </form>
        {later && asOf !== undefined ? (
          <a href={target(later, current - 1)} rel="next">
            Later →
          </a>
        ) : (
          <span class="muted">Later →</span>
        )}
      </div>
      {asOf === undefined
        ? changed && (
            <p class="muted small since">
              Recommended since <MomentView at={changed.at} />: {plain(changed.recommendation)}.
            </p>
          )
        : current > 0 && <SinceThen moments={moments.slice(0, current)} />}
    </>
  )
}

/** The other parameters of the address. */
const Kept = ({ query }: { query: Parameters }) =>
  Object.entries(query)
    .filter(([name]) => name !== 'as_of')
    .map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)

/** Changes of the recommendation that are listed. */
const MAX_LISTED = 3

/** What is different now from the past moment that is shown. */
function SinceThen({ moments }: { moments: readonly Moment[] }) {
  const recommended = moments.filter(({ recommendation }) => recommendation !== null)
  return (
    <section class="panel" aria-labelledby="since-then">
      <h2 id="since-then">Different now</h2>
      {recommended.length === 0 ? (
        <p>The same award is recommended.</p>
      ) : (
        <ul class="reasons">
          {recommended.slice(0, MAX_LISTED).map(({ at, recommendation }) => (
            <li>
              <MomentView at={at} />: {plain(recommendation)}.
            </li>
          ))}
          {recommended.length > MAX_LISTED && <li>{`and ${recommended.length - MAX_LISTED} earlier`}</li>}
        </ul>
      )}
    </section>
  )
}
