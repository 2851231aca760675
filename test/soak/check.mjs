// The check from outside: the marketplace's own record against the database.

/** A reading's answer arrives, and is recorded, a little after the marketplace made it, in milliseconds. */
const MARGIN = 1500

/**
 * Every state shown to a reading must be in the history, unless no run that completed can have made that reading, or a
 * newer reading of the same RFQ was recorded before it.
 * @param shown [{at, kind, id, hash}] what answers that were sent whole showed
 * @param requests the marketplace's record: whose channel a document is stands there, also where none of its readings was kept
 */
export function checkHistory(db, shown, requests) {
  const known = new Set(db.prepare(`select kind || '/' || id || '/' || content_hash from versions`).pluck().all())
  const owner = new Map(
    requests.map(({ org, channel, rfqId, responseId }) => [
      responseId === null ? `rfq/${rfqId}` : `response/${responseId}`,
      `${org}/${channel}`,
    ]),
  )
  const runs = db
    .prepare(`select channel, kind, outcome, started_at, finished_at from runs where kind in ('rfqs', 'close')`)
    .all()
  const spanning = (channel, at) =>
    runs.filter(
      (run) =>
        run.channel === channel &&
        Date.parse(run.started_at) <= at + MARGIN &&
        (run.finished_at === null || Date.parse(run.finished_at) >= at - MARGIN),
    )
  const counts = { statesShown: shown.length, inHistory: 0, ofRunsCutShort: 0, overtaken: 0 }
  const findings = []
  for (const { at, kind, id, hash } of shown) {
    if (known.has(`${kind}/${id}/${hash}`)) {
      counts.inHistory++
      continue
    }
    const around = spanning(owner.get(`${kind}/${id}`), at)
    if (around.some((run) => run.outcome !== 'complete')) counts.ofRunsCutShort++
    else if (around.some((run) => run.kind === 'rfqs') && around.some((run) => run.kind === 'close')) counts.overtaken++
    else
      findings.push(
        `${kind} ${id} was shown at ${new Date(at).toISOString()} and is not in the history (${hash.slice(0, 12)})`,
      )
  }
  return { counts, findings }
}

/**
 * Every POST has its decision or an intent that is still open; before each there was a reading that showed the RFQ open
 * and past due, and between two of the same RFQ there was another.
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
  const readings = group(shown.filter((each) => each.kind === 'rfq'))
  const last = new Map()
  for (const { at, rfqId } of posts) {
    const sent = at.getTime()
    const before = (readings.get(rfqId) ?? []).filter((reading) => reading.at <= sent)
    const newest = before.at(-1)
    const today = at.toISOString().slice(0, 10)
    if (!newest) findings.push(`RFQ ${rfqId} was posted to at ${at.toISOString()} without any reading`)
    else {
      // Another process may have read it since, and not be the one that posts: any reading of the last seconds counts.
      const basis = before.filter((reading) => reading.at > newest.at - 20_000)
      if (!basis.some((reading) => reading.state === 'open' && reading.due < today)) {
        findings.push(`RFQ ${rfqId} was posted to at ${at.toISOString()} before its time: ${JSON.stringify(newest)}`)
      }
      if (last.has(rfqId) && newest.at <= last.get(rfqId))
        findings.push(`RFQ ${rfqId} was posted to twice without a reading between`)
    }
    last.set(rfqId, sent)
  }
  for (const [rfqId, received] of count(posts.map((post) => post.rfqId))) {
    const accounted = decided.pluck().get(rfqId) + open.pluck().get(rfqId)
    if (accounted < received)
      findings.push(`RFQ ${rfqId} got ${received} POSTs, of which decisions account for ${accounted}`)
    if (intended.pluck().get(rfqId) < received)
      findings.push(`RFQ ${rfqId} got ${received} POSTs, more than were intended`)
  }
  const twice = [...count(posts.map((post) => post.rfqId)).values()].filter((n) => n > 1).length
  return {
    counts: {
      posts: posts.length,
      closedByPost: posts.filter((post) => post.applied).length,
      rfqsPostedToTwice: twice,
    },
    findings,
  }
}

function group(readings) {
  const groups = new Map()
  for (const reading of readings) {
    const list = groups.get(reading.id)
    if (list) list.push(reading)
    else groups.set(reading.id, [reading])
  }
  return groups
}

function count(names) {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
