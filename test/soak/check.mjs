// Compares the sandbox's own record of what happened with the database.

import { contentOf } from '../../dist/src/core/documents/canonical-json.js'

/** POSTs that one RFQ may receive within a day. */
const MAX_POSTS_PER_DAY = 4

/** How much later than the marketplace replies a read may be recorded, in milliseconds. */
const MARGIN = 1500

/**
 * Every state that a read returned must be in the history, unless the read can only belong to a run that did not
 * complete, or a newer read of the same RFQ was recorded before it.
 * @param shown [{at, kind, id, content}] the states in replies that were sent completely
 * @param requests the sandbox's request log, which tells the channel of each document
 * @param clockErrors how wrong the clocks of processes were, in milliseconds, by process id
 */
export function checkHistory(db, shown, requests, clockErrors) {
  const versions = db.prepare('select kind, id, body from versions where body is not null').all()
  const known = new Set(versions.map(({ kind, id, body }) => `${kind}/${id}/${contentOf(JSON.parse(body))}`))
  const owner = new Map(
    requests.map(({ org, channel, rfqId, responseId }) => [
      responseId === null ? `rfq/${rfqId}` : `response/${responseId}`,
      `${org}/${channel}`,
    ]),
  )
  const runs = db
    .prepare(`select channel, kind, outcome, started_at, finished_at, holder from runs where kind in ('rfqs', 'close')`)
    .all()
    .map(({ holder, started_at, finished_at, ...run }) => {
      const error = clockErrors.get(JSON.parse(holder).pid) ?? 0
      const corrected = (at) => at && new Date(Date.parse(at) - error).toISOString()
      // Whoever recorded that a run was interrupted has another clock.
      const ended = run.outcome === 'interrupted' ? finished_at : corrected(finished_at)
      return { ...run, started_at: corrected(started_at), finished_at: ended }
    })
  const spanning = (channel, at) =>
    runs.filter(
      (run) =>
        run.channel === channel &&
        Date.parse(run.started_at) <= at + MARGIN &&
        (run.finished_at === null || Date.parse(run.finished_at) >= at - MARGIN),
    )
  // A poll records an RFQ when its last offer is read; a closing round may have read and recorded it meanwhile.
  const isOvertaken = ({ channel, finished_at }, at) =>
    runs.some(
      ({ kind, ...run }) =>
        kind === 'close' &&
        run.channel === channel &&
        (finished_at === null || run.started_at <= finished_at) &&
        (run.finished_at === null || Date.parse(run.finished_at) >= at - MARGIN),
    )
  const counts = { statesShown: shown.length, inHistory: 0, ofIncompleteRuns: 0, overtaken: 0 }
  const findings = []
  for (const { at, kind, id, content } of shown) {
    if (known.has(`${kind}/${id}/${content}`)) {
      counts.inHistory++
      continue
    }
    const around = spanning(owner.get(`${kind}/${id}`), at)
    if (around.some((run) => run.outcome !== 'complete')) counts.ofIncompleteRuns++
    else if (around.some((poll) => poll.kind === 'rfqs' && isOvertaken(poll, at))) counts.overtaken++
    else
      findings.push(
        `${kind} ${id} was returned at ${new Date(at).toISOString()} but is not in the history (${hash.slice(0, 12)})`,
      )
  }
  return { counts, findings }
}

/**
 * Every POST has a decision or a close intent that is still open. A read before each POST showed the RFQ open and past
 * due, and between two POSTs for the same RFQ there was another read.
 */
export function checkPosts(db, requests, shown) {
  const posts = requests.filter((request) => request.operation === 'closeRfq')
  const decided = db.prepare(
    `select coalesce(sum(json_extract(evidence, '$.request.posts')), 0) from close_decisions where rfq_id = ? and decision = 'close'`,
  )
  const intended = db.prepare(`select coalesce(sum(posts), 0) from close_intents where rfq_id = ?`)
  const open = db.prepare(
    `select coalesce(sum(posts), 0) from close_intents where rfq_id = ? and state in ('planned', 'sending')`,
  )
  const findings = []
  const reads = group(shown.filter((each) => each.kind === 'rfq'))
  const last = new Map()
  for (const { at, rfqId } of posts) {
    const sent = at.getTime()
    const before = (reads.get(rfqId) ?? []).filter((read) => read.at <= sent)
    const newest = before.at(-1)
    const today = at.toISOString().slice(0, 10)
    if (!newest) findings.push(`RFQ ${rfqId} was closed at ${at.toISOString()} without any read`)
    else {
      // Another process may have read it since without closing it, so any read of the last 20 seconds counts.
      const basis = before.filter((read) => read.at > newest.at - 20_000)
      if (!basis.some((read) => read.state === 'open' && read.due < today)) {
        findings.push(
          `RFQ ${rfqId} was closed at ${at.toISOString()} before it was past due: ${JSON.stringify(newest)}`,
        )
      }
      if (last.has(rfqId) && newest.at <= last.get(rfqId))
        findings.push(`RFQ ${rfqId} was closed twice without a read in between`)
    }
    last.set(rfqId, sent)
  }
  for (const [rfqId, received] of count(posts.map((post) => post.rfqId))) {
    const accounted = decided.pluck().get(rfqId) + open.pluck().get(rfqId)
    if (accounted < received)
      findings.push(`RFQ ${rfqId} received ${received} POSTs, but decisions and intents account for ${accounted}`)
    if (intended.pluck().get(rfqId) < received)
      findings.push(`RFQ ${rfqId} received ${received} POSTs, more than its close intents record`)
    // Two intents a day with two POSTs each (docs/CLOSING.md); the soak is shorter than a day.
    if (received > MAX_POSTS_PER_DAY) findings.push(`RFQ ${rfqId} received ${received} POSTs`)
  }
  const repeated = [...count(posts.map((post) => post.rfqId)).values()].filter((n) => n > 1).length
  return {
    counts: {
      posts: posts.length,
      closedByPost: posts.filter((post) => post.applied).length,
      rfqsWithTwoPosts: repeated,
      maxPostsPerRfq: Math.max(0, ...count(posts.map((post) => post.rfqId)).values()),
    },
    findings,
  }
}

/** Delay between sending and receiving a request on a busy machine, in milliseconds. */
const JITTER = 500
/** A rate is judged over this many seconds, so that the jitter matters little. */
const WINDOW = 10
/** All processes together keep the rate limit. */
export function checkRate(requests, perSecond) {
  const times = requests.map(({ at }) => at.getTime()).sort((a, b) => a - b)
  const maxInWindow = maxWithin(times, WINDOW * 1000)
  const isKept = maxInWindow <= Math.ceil(perSecond * (WINDOW + JITTER / 1000))
  const finding = `${maxInWindow} requests within ${WINDOW} s; ${perSecond} per second are allowed`
  return { counts: { [`maxPer${WINDOW}Seconds`]: maxInWindow }, findings: isKept ? [] : [finding] }
}

/** The most of the ascending times that lie within any period of this length. */
function maxWithin(times, period) {
  let [first, most] = [0, 0]
  for (const [index, time] of times.entries()) {
    while (times[first] <= time - period) first++
    most = Math.max(most, index - first + 1)
  }
  return most
}

function group(reads) {
  const groups = new Map()
  for (const read of reads) {
    const list = groups.get(read.id)
    if (list) list.push(read)
    else groups.set(read.id, [read])
  }
  return groups
}

function count(names) {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
