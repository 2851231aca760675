import { contentHash } from '../domain/canonical-json.js'
import type { DocumentKind } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import { type Connection, yieldToEventLoop } from './connection.js'
import type {
  Recorder,
  RecordResult,
  ResponseSnapshot,
  RfqSnapshot,
  RunHandle,
  Snapshot,
  UpsertResult,
} from './contract.js'
import { assertLive } from './runs.js'

/** Writes between two turns of the event loop. */
const CHUNK = 200

type Shape = 'full' | 'list' | 'summary'
interface Place {
  channel: string
  kind: DocumentKind
  /** Empty for listings and RFQs. */
  rfqId: string
  id: string
}
interface EntityRow {
  version: number
  last_read_at: string
  missing_since: string | null
  content_hash: string
  shape: Shape
  body: string
  latest_body: string | null
}
/** A snapshot with its text and hash, made once. */
interface Fresh extends Snapshot {
  shape: Shape
  text: string
  hash: string
}
/** When it is written, when it was read, and by which run. */
interface Occasion {
  run: RunHandle
  stamp: string
  readAt: string
}

/** Keeps what was observed: versions, presence and absence, problems (interfaces.md §3; architecture.md, rules 1–4). */
export function createRecorder(connection: Connection): Recorder {
  const sql = (text: string) => connection.statement(text)

  const inRun = <T>(run: RunHandle, readAt: Date, now: Date, work: (occasion: Occasion) => Promise<T>): Promise<T> =>
    connection.write(() => {
      assertLive(connection, run)
      return work({ run, stamp: advance(run.channel, now), readAt: readAt.toISOString() })
    })

  /** Time never runs backwards in a channel's history, whatever the clock does. */
  const advance = (channel: string, now: Date): string =>
    sql(
      `insert into channels values (?, ?) on conflict (channel) do update set newest_at = max(newest_at, excluded.newest_at)
      returning newest_at`,
    )
      .pluck()
      .get(channel, now.toISOString()) as string

  const find = (place: Place) =>
    sql(
      `select e.version, e.last_read_at, e.missing_since, e.latest_body, v.content_hash, v.shape, v.body
      from entities e join versions v using (channel, kind, rfq_id, id, version)
      where e.channel = @channel and e.kind = @kind and e.rfq_id = @rfqId and e.id = @id`,
    ).get(place) as EntityRow | undefined

  const insertVersion = (
    place: Place,
    version: number,
    snapshot: Fresh,
    notBefore: string | null,
    occasion: Occasion,
  ) =>
    sql(
      `insert into versions (channel, kind, rfq_id, id, version, content_hash, not_before, observed_at, run_id, valid,
        shape, body)
      values (@channel, @kind, @rfqId, @id, @version, @hash, @notBefore, @stamp, @runId, @valid, @shape, @body)`,
    ).run({
      ...place,
      version,
      notBefore,
      hash: snapshot.hash,
      stamp: occasion.stamp,
      runId: occasion.run.id,
      valid: snapshot.valid ? 1 : 0,
      shape: snapshot.shape,
      body: snapshot.text,
    })

  const insert = (place: Place, snapshot: Fresh, occasion: Occasion): UpsertResult => {
    sql(
      `insert into entities (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, last_read_at,
        changed_at)
      values (@channel, @kind, @rfqId, @id, 1, @stamp, @stamp, @readAt, @stamp)`,
    ).run({ ...place, stamp: occasion.stamp, readAt: occasion.readAt })
    insertVersion(place, 1, snapshot, null, occasion)
    return 'inserted'
  }

  const change = (place: Place, row: EntityRow, snapshot: Fresh, occasion: Occasion): UpsertResult => {
    sql(
      `update versions set superseded_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and version = @version`,
    ).run({ ...place, stamp: occasion.stamp, version: row.version })
    insertVersion(place, row.version + 1, snapshot, row.last_read_at, occasion)
    sql(
      `update entities set version = version + 1, last_observed_at = @stamp, last_read_at = @readAt,
        changed_at = @stamp, latest_body = null
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...place, stamp: occasion.stamp, readAt: occasion.readAt })
    return 'changed'
  }

  /** The same content: only volatile members or the order may differ, and the newest form is kept. */
  const see = (place: Place, row: EntityRow, snapshot: Fresh, occasion: Occasion): UpsertResult => {
    sql(
      `update entities set last_observed_at = @stamp, last_read_at = @readAt, latest_body = @latest
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({
      ...place,
      stamp: occasion.stamp,
      readAt: occasion.readAt,
      latest: snapshot.text === row.body ? null : snapshot.text,
    })
    return 'unchanged'
  }

  const keep = (place: Place, observed: Snapshot & { shape: Shape }, occasion: Occasion): UpsertResult => {
    const snapshot = freshen(place.kind, observed)
    const row = find(place)
    if (!row) return noted(place, snapshot, occasion, insert(place, snapshot, occasion))
    if (occasion.readAt < row.last_read_at) return 'stale'
    if (row.missing_since !== null) comeBack(place, occasion)
    // Less than what is known (a summary, a list entry) never replaces it.
    if (snapshot.shape !== 'full' && row.shape === 'full') {
      return noted(place, snapshot, occasion, seeAgain(place, occasion))
    }
    const same = row.content_hash === snapshot.hash && row.shape === snapshot.shape
    const result = same ? see(place, row, snapshot, occasion) : change(place, row, snapshot, occasion)
    return noted(place, snapshot, occasion, result)
  }

  const noted = (place: Place, snapshot: Fresh, occasion: Occasion, result: UpsertResult): UpsertResult => {
    note(place.kind, place.id, snapshot.problems, occasion)
    return result
  }

  const seeAgain = (place: Place, occasion: Occasion): UpsertResult => {
    sql(
      `update entities set last_observed_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...place, stamp: occasion.stamp })
    return 'unchanged'
  }

  const goMissing = (place: Place, occasion: Occasion) => {
    sql(
      `insert into absences (channel, kind, rfq_id, id, not_before, missing_since, run_id)
      select channel, kind, rfq_id, id, last_read_at, @stamp, @runId from entities
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...place, stamp: occasion.stamp, runId: occasion.run.id })
    sql(
      `update entities set missing_since = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run({ ...place, stamp: occasion.stamp })
  }

  const comeBack = (place: Place, occasion: Occasion) => {
    sql(
      `update absences set returned_at = @stamp
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id and returned_at is null`,
    ).run({ ...place, stamp: occasion.stamp })
    sql(
      `update entities set missing_since = null
      where channel = @channel and kind = @kind and rfq_id = @rfqId and id = @id`,
    ).run(place)
  }

  const note = (kind: DocumentKind, entityId: string, problems: readonly Problem[], { run, stamp }: Occasion) => {
    for (const problem of problems) {
      sql(
        `insert into problems values (@channel, @kind, @entityId, @path, @code, @message, @stamp, @stamp, 1)
        on conflict do update set message = excluded.message, last_seen_at = excluded.last_seen_at, times = times + 1`,
      ).run({ ...problem, channel: run.channel, kind, entityId, stamp })
    }
  }

  /** What was there when the list was read; what was read since then is newer than that list. */
  const present = ({ run, readAt }: Occasion, kind: DocumentKind, rfqId: string) =>
    sql(
      `select id from entities where channel = ? and kind = ? and rfq_id = ? and missing_since is null
        and last_read_at <= ?`,
    )
      .pluck()
      .all(run.channel, kind, rfqId, readAt) as string[]

  const keepResponses = async (snapshot: RfqSnapshot, occasion: Occasion) => {
    const kept: RecordResult['responses'] = []
    for (const [index, response] of snapshot.responses.entries()) {
      if (index % CHUNK === CHUNK - 1) await yieldToEventLoop()
      kept.push({ id: response.id, change: keep(placeOfResponse(snapshot, response, occasion), response, occasion) })
    }
    return kept
  }

  const loseResponses = (snapshot: RfqSnapshot, occasion: Occasion): string[] => {
    if (!snapshot.responsesComplete) return []
    const shown = new Set(snapshot.responses.map((response) => response.id))
    const missing = present(occasion, 'response', snapshot.rfq.id).filter((id) => !shown.has(id))
    for (const id of missing) {
      goMissing({ channel: occasion.run.channel, kind: 'response', rfqId: snapshot.rfq.id, id }, occasion)
    }
    return missing
  }

  return {
    async recordListings(run, listings, readAt, now) {
      const changes: UpsertResult[] = []
      for (let start = 0; start < listings.length; start += CHUNK) {
        const chunk = listings.slice(start, start + CHUNK)
        changes.push(
          ...(await inRun(run, readAt, now, async (occasion) =>
            chunk.map((listing) =>
              keep(
                { channel: run.channel, kind: 'listing', rfqId: '', id: listing.id },
                { ...listing, shape: 'full' },
                occasion,
              ),
            ),
          )),
        )
        await yieldToEventLoop()
      }
      return changes
    },

    recordRfq(run, snapshot, now) {
      return inRun(run, snapshot.readAt, now, async (occasion) => {
        const place: Place = { channel: run.channel, kind: 'rfq', rfqId: '', id: snapshot.rfq.id }
        const rfq = keep(place, { ...snapshot.rfq, shape: snapshot.shape }, occasion)
        const known = find(place)
        const facts = { rfq, rfqVersion: known?.version ?? 0, rfqHash: known?.content_hash ?? '' }
        if (rfq === 'stale') return { ...facts, responses: [], missing: [] }
        sql(
          `update entities set list_hash = coalesce(@listHash, list_hash)
          where channel = @channel and kind = 'rfq' and rfq_id = '' and id = @id`,
        ).run({ channel: run.channel, id: snapshot.rfq.id, listHash: snapshot.listHash })
        const responses = await keepResponses(snapshot, occasion)
        return { ...facts, responses, missing: loseResponses(snapshot, occasion) }
      })
    },

    touchRfqs(run, ids, readAt, now) {
      return inRun(run, readAt, now, async (occasion) => {
        for (const [index, id] of ids.entries()) {
          if (index % CHUNK === CHUNK - 1) await yieldToEventLoop()
          seeAgain({ channel: run.channel, kind: 'rfq', rfqId: '', id }, occasion)
        }
      })
    },

    updatePresence(run, kind, shown, readAt, now) {
      return inRun(run, readAt, now, async (occasion) => {
        const ids = new Set(shown)
        const missing = present(occasion, kind, '').filter((id) => !ids.has(id))
        for (const id of missing) goMissing({ channel: run.channel, kind, rfqId: '', id }, occasion)
        const away = sql(
          `select id from entities where channel = ? and kind = ? and rfq_id = '' and missing_since is not null`,
        )
          .pluck()
          .all(run.channel, kind) as string[]
        const returned = away.filter((id) => ids.has(id))
        for (const id of returned) comeBack({ channel: run.channel, kind, rfqId: '', id }, occasion)
        return { missing, returned }
      })
    },

    recordProblems(run, kind, entityId, problems, now) {
      return inRun(run, now, now, async (occasion) => note(kind, entityId, problems, occasion))
    },
  }
}

const freshen = (kind: DocumentKind, snapshot: Snapshot & { shape: Shape }): Fresh => ({
  ...snapshot,
  text: JSON.stringify(snapshot.body) ?? 'null',
  hash: contentHash(kind, snapshot.body),
})

function placeOfResponse(snapshot: RfqSnapshot, response: ResponseSnapshot, { run }: Occasion): Place {
  return { channel: run.channel, kind: 'response', rfqId: snapshot.rfq.id, id: response.id }
}
