import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { contentHash } from '../../core/canonical-json.js'
import { parseExactly } from '../../core/exact-json.js'
import { RecentlyUsed } from '../../core/recently-used.js'
import type { Closings, DecidedDocuments } from '../contract.js'
import { sameDocument } from '../documents/queries.js'
import { fromStoredText } from '../documents/stored-text.js'
import { allOf, type Dialect, type SqlDatabase } from '../sql-database.js'

/** Decisions that are read at once, and documents, which may be large. */
const DECISIONS_PER_STEP = 500
const DOCUMENTS_PER_STEP = 25
/** Versions whose hashes are kept, because several decisions are often about one. */
const MAX_KEPT = 20_000

interface DecisionRow {
  id: number
  channel: string
  rfq_id: string
  rfq_number: number | null
  decided_at: string
  evidence: string
}

/** A version of an RFQ that a decision says it was based on, or that its verifying read showed. */
interface DecidedVersion {
  decision: DecisionRow
  version: number
  hash: string
}

/** What is stored of a version: the hash of each of its bodies, as received first and last. */
interface StoredHashes {
  observedAt: string
  hashes: readonly (string | null)[]
}

/** Compares the documents that decisions are based on with those that are stored. */
export function createDocumentCheck(database: SqlDatabase): Pick<Closings, 'verifyDecidedDocuments'> {
  return {
    async verifyDecidedDocuments() {
      const report: DecidedDocuments = { total: 0, unchecked: 0, changed: [] }
      const known = new RecentlyUsed<StoredHashes>(MAX_KEPT)
      for (let after: number | null = null; ; ) {
        const rows: DecisionRow[] = await database.all<DecisionRow>(
          `select id, channel, rfq_id, rfq_number, decided_at, evidence from close_decisions
          where ${allOf(after !== null && 'id > @after')} order by id limit ${DECISIONS_PER_STEP}`,
          { after },
        )
        const decided = rows.flatMap(decidedVersions)
        const stored = await readHashes(database, decided, known)
        for (const each of decided) compare(each, stored.get(keyOf(each)), report)
        if (rows.length < DECISIONS_PER_STEP) return report
        after = rows.at(-1)?.id ?? null
      }
    },
  }
}

const keyOf = ({ decision: { channel, rfq_id: id }, version }: DecidedVersion) => `${channel} ${id} ${version}`

/** Evidence without a version or a hash is of no document. */
function decidedVersions(decision: DecisionRow): DecidedVersion[] {
  const evidence = JSON.parse(decision.evidence) as { verified?: unknown }
  const found = [evidence, evidence.verified].flatMap((part): DecidedVersion[] => {
    const { version, hash } = Object(part) as { version?: unknown; hash?: unknown }
    return typeof version === 'number' && typeof hash === 'string' ? [{ decision, version, hash }] : []
  })
  // A close that had no effect shows the same document twice.
  return found.filter(({ version, hash }, at) => at === 0 || version !== found[0]?.version || hash !== found[0].hash)
}

function compare(
  { decision, version, hash }: DecidedVersion,
  stored: StoredHashes | undefined,
  report: DecidedDocuments,
) {
  report.total++
  if (stored?.hashes.every((each) => each === hash)) return
  // After a restore, what was read since has the numbers of the versions that the backup did not have.
  if (stored === undefined || stored.observedAt > decision.decided_at) report.unchecked++
  else {
    const { id, channel, rfq_id, rfq_number: rfqNumber } = decision
    report.changed.push({ decision: id, channel, rfqId: fromStoredText(rfq_id), rfqNumber, version })
  }
}

/** The hashes of some versions, by `keyOf`, without those that are not stored. */
async function readHashes(
  database: SqlDatabase,
  decided: readonly DecidedVersion[],
  known: RecentlyUsed<StoredHashes>,
): Promise<Map<string, StoredHashes>> {
  const found = new Map<string, StoredHashes>()
  const missing = new Map<string, DecidedVersion>()
  for (const each of decided) {
    const hashes = known.get(keyOf(each))
    if (hashes === undefined) missing.set(keyOf(each), each)
    else found.set(keyOf(each), hashes)
  }
  const versions = [...missing.values()]
  for (let start = 0; start < versions.length; start += DOCUMENTS_PER_STEP) {
    const batch = versions.slice(start, start + DOCUMENTS_PER_STEP)
    const rows = await database.all<BodyRow>(selectBodies(database.dialect), {
      channels: [...new Set(batch.map(({ decision }) => decision.channel))],
      ids: batch.map(({ decision }) => decision.rfq_id),
      keys: batch.map(keyOf),
    })
    for (const { key, observed_at: observedAt, body, latest_body: latest } of rows) {
      const stored = { observedAt, hashes: (latest === null ? [body] : [body, latest]).map(hashOf) }
      found.set(key, stored)
      known.set(key, stored)
    }
    await yieldToEventLoop()
  }
  return found
}

interface BodyRow {
  key: string
  observed_at: string
  body: string
  latest_body: string | null
}

/** The content of a body as it was hashed when it was recorded; null for a text that is not JSON. */
function hashOf(body: string): string | null {
  try {
    return contentHash('rfq', parseExactly(body, JSON.parse(body)).exact)
  } catch {
    return null
  }
}

const KEY = `v.channel || ' ' || v.id || ' ' || v.version`

/** Bodies of versions by `keyOf`, and of the newest one the text that was received last. */
const selectBodies = ({ versionsOfDocuments, outerRow, anyOf }: Dialect) => `
select ${KEY} as key, v.observed_at, v.body, case when e.version = v.version then e.latest_body end as latest_body
from ${versionsOfDocuments(sameDocument('v', 'e'))}
where ${anyOf(`${outerRow}.channel`, '@channels')} and ${outerRow}.kind = 'rfq' and ${outerRow}.rfq_id = ''
  and ${anyOf(`${outerRow}.id`, '@ids')} and ${anyOf(`(${KEY})`, '@keys')}`
