import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { contentHash } from '../../core/documents/canonical-json.js'
import { parseExactly } from '../../core/documents/exact-json.js'
import { RecentlyUsed } from '../../core/recently-used.js'
import type { Dialect, Queries } from '../sql/sql-database.js'
import { sameDocument } from './queries/history-queries.js'

/** Documents read by one query, because they may be large. */
const DOCUMENTS_PER_STEP = 25
/** The number of cached hashes. Several rows of a log often refer to the same version. */
const MAX_KEPT = 20_000

/** A version of a document to which a row of a log refers. Identifiers are as stored. */
export interface LoggedVersion {
  channel: string
  /** The RFQ of an offer; empty for an RFQ. */
  rfqId: string
  id: string
  version: number
  /** Its hash according to the log. */
  hash: string
  /** When the row of the log was written. */
  loggedAt: string
}

/** The hashes of the stored bodies of a version, as first and last received. */
interface StoredHashes {
  observedAt: string
  hashes: readonly (string | null)[]
}

/** `unchecked`: the version is no longer stored, or was recorded after the row of the log. */
type LoggedVersionState = 'unchanged' | 'changed' | 'unchecked'

/**
 * Creates a function that compares the versions to which a log refers with the stored ones, in their order.
 * @param kind of the documents
 */
export function createVersionCheck(
  { dialect }: { dialect: Dialect },
  kind: 'rfq' | 'response',
): (queries: Queries, logged: readonly LoggedVersion[]) => Promise<LoggedVersionState[]> {
  const known = new RecentlyUsed<StoredHashes>(MAX_KEPT)
  const select = selectBodies(dialect)

  /** The hashes of versions by `keyOf`; those that are not stored are absent. */
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
  // After a restore, newly read versions reuse the numbers of versions that the backup did not have.
  return stored === undefined || stored.observedAt > loggedAt ? 'unchecked' : 'changed'
}

interface BodyRow {
  key: string
  observed_at: string
  body: string
  latest_body: string | null
}

/** The content hash of a body; null for a text that is not JSON. */
function hashOf(kind: 'rfq' | 'response', body: string): string | null {
  try {
    return contentHash(kind, parseExactly(body, JSON.parse(body)).exact)
  } catch {
    return null
  }
}

const KEY = `v.channel || ' ' || v.rfq_id || ' ' || v.id || ' ' || v.version`

/** Selects bodies of versions by `keyOf`, and for the newest version of a document the text received last. */
const selectBodies = ({ versionsOfDocuments, outerRow, anyOf }: Dialect) => `
select ${KEY} as key, v.observed_at, v.body, case when e.version = v.version then e.latest_body end as latest_body
from ${versionsOfDocuments(sameDocument('v', 'e'))}
where ${anyOf(`${outerRow}.channel`, '@channels')} and ${outerRow}.kind = @kind
  and ${anyOf(`${outerRow}.rfq_id`, '@rfqIds')} and ${anyOf(`${outerRow}.id`, '@ids')} and ${anyOf(`(${KEY})`, '@keys')}`
