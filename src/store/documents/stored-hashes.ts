import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { contentHash } from '../../core/documents/canonical-json.js'
import { parseExactly } from '../../core/documents/exact-json.js'
import { RecentlyUsed } from '../../core/recently-used.js'
import type { Dialect, Queries } from '../sql/sql-database.js'
import { sameDocument } from './queries/history-queries.js'

/** Documents that are read at once: they may be large. */
const DOCUMENTS_PER_STEP = 25
/** Versions whose hashes are kept, because several rows of a log are often about one. */
const MAX_KEPT = 20_000

/** A version of a document that a row of a log is based on. Identifiers are as they are stored. */
export interface LoggedVersion {
  channel: string
  /** Of the RFQ that an offer is for; empty for an RFQ. */
  rfqId: string
  id: string
  version: number
  /** What the log says its hash is. */
  hash: string
  /** When the row of the log was made. */
  loggedAt: string
}

/** What is stored of a version: the hash of each of its bodies, as received first and last. */
interface StoredHashes {
  observedAt: string
  hashes: readonly (string | null)[]
}

/** `unchecked`: the version is not stored any more, or only in a state that was recorded after the row of the log. */
type LoggedVersionState = 'unchanged' | 'changed' | 'unchecked'

/**
 * Makes a function that compares versions that a log is based on with what is stored of them, in their order.
 * @param kind of the documents
 */
export function createVersionCheck(
  { dialect }: { dialect: Dialect },
  kind: 'rfq' | 'response',
): (queries: Queries, logged: readonly LoggedVersion[]) => Promise<LoggedVersionState[]> {
  const known = new RecentlyUsed<StoredHashes>(MAX_KEPT)
  const select = selectBodies(dialect)

  /** The hashes of some versions, by `keyOf`, without those that are not stored. */
  async function readHashes(queries: Queries, logged: readonly LoggedVersion[]): Promise<Map<string, StoredHashes>> {
    const found = new Map<string, StoredHashes>()
    const missing = new Map<string, LoggedVersion>()
    for (const each of logged) {
      const hashes = known.get(keyOf(each))
      if (hashes === undefined) missing.set(keyOf(each), each)
      else found.set(keyOf(each), hashes)
    }
    const versions = [...missing.values()]
    for (let start = 0; start < versions.length; start += DOCUMENTS_PER_STEP) {
      const batch = versions.slice(start, start + DOCUMENTS_PER_STEP)
      const rows = await queries.all<BodyRow>(select, {
        kind,
        channels: [...new Set(batch.map(({ channel }) => channel))],
        rfqIds: [...new Set(batch.map(({ rfqId }) => rfqId))],
        ids: batch.map(({ id }) => id),
        keys: batch.map(keyOf),
      })
      for (const { key, observed_at: observedAt, body, latest_body: latest } of rows) {
        const bodies = latest === null ? [body] : [body, latest]
        const stored = { observedAt, hashes: bodies.map((each) => hashOf(kind, each)) }
        found.set(key, stored)
        known.set(key, stored)
      }
      await yieldToEventLoop()
    }
    return found
  }

  return async (queries, logged) => {
    const stored = await readHashes(queries, logged)
    return logged.map((each) => stateOf(each, stored.get(keyOf(each))))
  }
}

const keyOf = ({ channel, rfqId, id, version }: LoggedVersion) => `${channel} ${rfqId} ${id} ${version}`

function stateOf({ hash, loggedAt }: LoggedVersion, stored: StoredHashes | undefined): LoggedVersionState {
  if (stored?.hashes.every((each) => each === hash)) return 'unchanged'
  // After a restore, what was read since has the numbers of the versions that the backup did not have.
  return stored === undefined || stored.observedAt > loggedAt ? 'unchecked' : 'changed'
}

interface BodyRow {
  key: string
  observed_at: string
  body: string
  latest_body: string | null
}

/** The content of a body as it was hashed when it was recorded; null for a text that is not JSON. */
function hashOf(kind: 'rfq' | 'response', body: string): string | null {
  try {
    return contentHash(kind, parseExactly(body, JSON.parse(body)).exact)
  } catch {
    return null
  }
}

const KEY = `v.channel || ' ' || v.rfq_id || ' ' || v.id || ' ' || v.version`

/** Bodies of versions by `keyOf`, and of the newest one the text that was received last. */
const selectBodies = ({ versionsOfDocuments, outerRow, anyOf }: Dialect) => `
select ${KEY} as key, v.observed_at, v.body, case when e.version = v.version then e.latest_body end as latest_body
from ${versionsOfDocuments(sameDocument('v', 'e'))}
where ${anyOf(`${outerRow}.channel`, '@channels')} and ${outerRow}.kind = @kind
  and ${anyOf(`${outerRow}.rfq_id`, '@rfqIds')} and ${anyOf(`${outerRow}.id`, '@ids')} and ${anyOf(`(${KEY})`, '@keys')}`
