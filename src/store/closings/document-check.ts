import type { Closings, DecidedDocuments } from '../contract.js'
import { createVersionCheck, type LoggedVersion } from '../documents/stored-hashes.js'
import { fromStoredText } from '../documents/stored-text.js'
import { allOf, type SqlDatabase } from '../sql/sql-database.js'

/** Decisions read by one query. */
const DECISIONS_PER_STEP = 500

interface DecisionRow {
  id: number
  channel: string
  rfq_id: string
  rfq_number: number | null
  decided_at: string
  evidence: string
}

/** A version of an RFQ on which a decision was based, or which its verifying read showed. */
interface DecidedVersion {
  decision: DecisionRow
  version: number
  hash: string
}

/** Compares the documents of decisions with the stored ones. */
export function createDocumentCheck(database: SqlDatabase): Pick<Closings, 'verifyDecidedDocuments'> {
  return {
    async verifyDecidedDocuments() {
      const report: DecidedDocuments = { total: 0, unchecked: 0, changed: [] }
      const checkVersions = createVersionCheck(database, 'rfq')
      for (let after: number | null = null; ; ) {
        const rows: DecisionRow[] = await database.all<DecisionRow>(
          `select id, channel, rfq_id, rfq_number, decided_at, evidence from close_decisions
          where ${allOf(after !== null && 'id > @after')} order by id limit ${DECISIONS_PER_STEP}`,
          { after },
        )
        const decided = rows.flatMap(decidedVersions)
        const states = await checkVersions(database, decided.map(loggedVersion))
        for (const [at, { decision, version }] of decided.entries()) {
          report.total++
          if (states[at] === 'unchecked') report.unchecked++
          if (states[at] !== 'changed') continue
          const { id, channel, rfq_id, rfq_number: rfqNumber } = decision
          report.changed.push({ decision: id, channel, rfqId: fromStoredText(rfq_id), rfqNumber, version })
        }
        if (rows.length < DECISIONS_PER_STEP) return report
        after = rows.at(-1)?.id ?? null
      }
    },
  }
}

const loggedVersion = ({ decision, version, hash }: DecidedVersion): LoggedVersion => ({
  ...{ channel: decision.channel, rfqId: '', id: decision.rfq_id, version, hash },
  loggedAt: decision.decided_at,
})

/** The versions in the evidence of a decision; none if it has no version or hash. */
function decidedVersions(decision: DecisionRow): DecidedVersion[] {
  const evidence = JSON.parse(decision.evidence) as { verified?: unknown }
  const found = [evidence, evidence.verified].flatMap((part): DecidedVersion[] => {
    const { version, hash } = Object(part) as { version?: unknown; hash?: unknown }
    return typeof version === 'number' && typeof hash === 'string' ? [{ decision, version, hash }] : []
  })
  // A close that had no effect shows the same document twice.
  return found.filter(({ version, hash }, at) => at === 0 || version !== found[0]?.version || hash !== found[0].hash)
}
