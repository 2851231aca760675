import { contentHash } from '../../dist/src/core/documents/canonical-json.js'

/** How late this process may notice a change of the world, in milliseconds. */
const NOTICED_WITHIN = 2000

/** A request that was sent right before a state began may be answered after. */
const WITHIN_MS = 2000

/** How long each state of each open RFQ and of its responses was there to be read. */
export class Visibility {
  /** [{channel, kind, id, hash, from, to}] */
  #ended = []
  /** By kind and id. */
  #present = new Map()

  /** Notes the present states of the RFQs of a channel. */
  look(channel, rfqs) {
    const seen = new Set()
    for (const rfq of rfqs.filter(({ terms }) => terms.state === 'open')) {
      this.#note({ channel, kind: 'rfq', id: rfq.terms.id }, rfq.body(), seen)
      for (const { id } of rfq.responses)
        this.#note({ channel, kind: 'response', id, rfqId: rfq.terms.id }, rfq.responseBody(id), seen)
    }
    for (const [key, { document }] of this.#present) {
      if (document.channel === channel && !seen.has(key)) this.#end(key)
    }
  }

  /** Every state, those still present with the end Infinity. */
  states() {
    const present = [...this.#present.values()].map((each) => toState(each, Number.POSITIVE_INFINITY))
    return [...this.#ended, ...present]
  }

  #note(document, body, seen) {
    const key = `${document.kind}/${document.id}`
    seen.add(key)
    const known = this.#present.get(key)
    // The sandbox keeps the text of a document until it changes.
    if (known?.body === body) return
    if (known) this.#end(key)
    this.#present.set(key, { document, body, from: Date.now() })
  }

  #end(key) {
    this.#ended.push(toState(this.#present.get(key), Date.now()))
    this.#present.delete(key)
  }
}

const toState = ({ document, body, from }, to) => ({
  ...document,
  hash: contentHash(document.kind, JSON.parse(body.toString('utf8'))),
  from,
  to,
})

/**
 * Every state must be in the history that was visible when a complete poll began that could read everything in time, and had
 * then been visible for longer than the age this poll states. If that poll postponed documents, others before it must have read their
 * shares: then it counts only if none of them failed since the state began.
 * @param states of `Visibility.states`
 * @param requests the sandbox's request log
 */
export function checkVisibility(db, states, requests) {
  const known = new Set(db.prepare(`select kind || '/' || id || '/' || content_hash from versions`).pluck().all())
  const polls = db
    .prepare(
      `select channel, started_at, finished_at, seen, postponed, expected_age_minutes as age from runs
      where kind = 'rfqs' and outcome = 'complete' and expected_age_minutes is not null`,
    )
    .all()
    .map(({ channel, age, ...run }) => {
      const [from, to] = [Date.parse(run.started_at), Date.parse(run.finished_at)]
      return { channel, ageMs: age * 60_000, from, to, seen: run.seen, postponed: run.postponed }
    })
    // A hostile list in place of the real one is read completely too.
    .filter(({ channel, from, seen }) => {
      const isVisible = (state) =>
        state.kind === 'rfq' && state.channel === channel && state.from <= from && state.to > from
      return seen >= states.filter(isVisible).length / 2
    })
  const failedPolls = db
    .prepare(`select channel, started_at from runs where kind = 'rfqs' and outcome is not 'complete'`)
    .all()
    .map(({ channel, started_at }) => ({ channel, at: Date.parse(started_at) }))
  const hasFailedPoll = (channel, from, to) =>
    failedPolls.some((each) => each.channel === channel && each.at >= from && each.at <= to)
  // Also a reply with status 200 may be no document: cut short, or another text. Observers are `transform`.
  const rejected = requests.filter(
    ({ status, faults }) =>
      status === null || (status >= 300 && status !== 304) || faults.some((kind) => kind !== 'transform'),
  )
  const counts = { statesVisible: states.length, visibleLongEnough: 0 }
  const findings = []
  for (const { channel, kind, id, rfqId: parent, hash, from, to } of states) {
    const poll = polls.find(
      (each) => each.channel === channel && each.from >= from + each.ageMs && each.to <= to - NOTICED_WITHIN,
    )
    if (poll === undefined || (poll.postponed > 0 && hasFailedPoll(channel, from, poll.to))) continue
    // One that could not be read is requested again when its age is over; and nobody knows the responses of an RFQ before it is read.
    const wasRejected = rejected.some(
      ({ at, rfqId, responseId }) =>
        (responseId === null ? rfqId === (kind === 'rfq' ? id : parent) : responseId === id) &&
        at.getTime() >= from - WITHIN_MS &&
        at.getTime() <= poll.to,
    )
    if (wasRejected) continue
    counts.visibleLongEnough++
    if (known.has(`${kind}/${id}/${hash}`)) continue
    const [since, until] = [from, Math.min(to, Date.now())].map((at) => new Date(at).toISOString())
    findings.push(
      `${kind} ${id} was as it was from ${since} to ${until}, but that is not in the history (${hash.slice(0, 12)})`,
    )
  }
  return { counts, findings }
}
