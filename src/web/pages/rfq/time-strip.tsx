import type { Moment } from '../../../tables/rfq/timeline.js'
import { Moment as MomentView, minute, plain } from '../../components/format.js'
import type { PageRequest } from '../page.js'

interface TimeStripProps {
  page: Pick<PageRequest, 'link' | 'query'>
  /** Newest first. */
  moments: readonly Moment[]
  asOf: Date | undefined
}

/** The moments at which something changed: the page as of each of them. A script turns the list into a slider. */
export function TimeStrip({ moments, asOf, page: { link, query } }: TimeStripProps) {
  if (moments.length === 0) return null
  const at = asOf === undefined ? 0 : moments.findIndex((moment) => new Date(moment.at) <= asOf)
  const current = at === -1 ? moments.length - 1 : at
  const changed = moments.slice(current).find(({ recommendation }) => recommendation !== null)
  const Step = ({ to, rel, text }: { to: number; rel: string; text: string }) => {
    const moment = moments[to]
    const path = moment && link({ as_of: to === 0 ? null : moment.at })
    return path === undefined ? null : <a {...{ href: path, rel }}>{text}</a>
  }
  const kept = () =>
    Object.entries(query)
      .filter(([name]) => name !== 'as_of')
      .map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
  return (
    <>
      <div class="timestrip noprint">
        <Step to={current + 1} rel="prev" text="← Earlier" />
        <form class="timestrip" method="get">
          {kept()}
          <label for="as_of">As of</label>
          <select id="as_of" name="as_of">
            {moments.map((moment, index) => (
              <option
                key={moment.at}
                value={index === 0 ? '' : moment.at}
                selected={index === current}
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
          {kept()}
          <label for="as_of_day">or the end of</label>
          <input id="as_of_day" type="date" name="as_of" required />
          <button type="submit">Show</button>
        </form>
        <Step to={asOf === undefined ? -1 : current - 1} rel="next" text="Later →" />
      </div>
      {asOf === undefined
        ? changed && (
            <p class="muted small since">
              Recommended since <MomentView at={changed.at} />: {plain(changed.recommendation)}.
            </p>
          )
        : current > 0 && <DifferentNow moments={moments.slice(0, current)} />}
    </>
  )
}

/** Changes of the recommendation that are listed. */
const MAX_LISTED = 3

/** What is different now from the past moment that is shown. */
function DifferentNow({ moments }: { moments: readonly Moment[] }) {
  const recommended = moments.filter(({ recommendation }) => recommendation !== null)
  return (
    <section class="panel" aria-labelledby="since-then">
      <h2 id="since-then">Different now</h2>
      {recommended.length === 0 && <p>The same award is recommended.</p>}
      <ul class="reasons">
        {recommended.slice(0, MAX_LISTED).map(({ at, recommendation }) => (
          <li>
            <MomentView at={at} />: {plain(recommendation)}.
          </li>
        ))}
        {recommended.length > MAX_LISTED && <li>{`and ${recommended.length - MAX_LISTED} earlier`}</li>}
      </ul>
    </section>
  )
}
