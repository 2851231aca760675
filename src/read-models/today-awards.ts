import { createContext } from '../compare/comparison-context.js'
import { type AwardState, awardState, awardText } from '../compare/decision/award-state.js'
import { assessRfq } from '../compare/rfq-assessment.js'
import { parseStoredResponse, parseStoredRfq } from '../compare/stored-documents.js'
import type { AwardRecord } from '../core/award-record.js'
import type { RfqWithResponses } from '../core/records.js'
import { nameById } from '../core/rfq-name.js'
import { listedOf } from '../core/sources.js'
import { quoteForShell } from '../quote-for-shell.js'
import { readSummaryTimes } from '../recommendations/summary-times.js'
import { createRulesLookup } from './channel-rules.js'
import { rfqPath } from './page-paths.js'
import { filterOf, keyOf, onChannel, rfqFields, sentences, type TodayContext, type TodayItem } from './today-model.js'

/** RFQs whose documents are read at once. */
const BATCH = 50

/**
 * Standing awards about which the marketplace shows something that a person has to know: that an offer expires soon, changed, or is not
 * open any more; or which offers it shows as accepted, which is told once.
 */
export async function awardItems(context: TodayContext): Promise<TodayItem[]> {
  const { source, asOf } = context
  const awards = await source.store.awards({ ...filterOf(context), standing: true, ...(asOf && { asOf }) })
  const items: TodayItem[] = []
  for (const channel of new Set(awards.map((award) => award.channel))) {
    const own = awards.filter((award) => award.channel === channel)
    for (let start = 0; start < own.length; start += BATCH) {
      const batch = own.slice(start, start + BATCH)
      const ids = batch.map(({ rfqId }) => rfqId)
      const found = await source.store.rfqs({ channel, ids, ...(asOf && { asOf }) })
      for (const award of batch) {
        const rfq = found.find((one) => one.rfq.id === award.rfqId)
        if (rfq !== undefined) items.push(...toItem(award, await stateOf(award, rfq, context), context))
      }
    }
  }
  return items
}

/** The same as in the report of the RFQ: neither listings nor numbers of problems influence it. */
async function stateOf(
  award: AwardRecord,
  { rfq, responses }: RfqWithResponses,
  { source, now, asOf }: TodayContext,
): Promise<AwardState> {
  const { store, channels, settings } = source
  const { channel } = award
  const { timeZone } = createRulesLookup(channels)(channel)
  const listed = listedOf(rfq)
  const context = createContext({
    channel,
    timeZone,
    asOf: now,
    generatedAt: now,
    programVersion: '',
    settings,
    listed,
  })
  const parsed = { rfq: parseStoredRfq(rfq), responses: responses.map(parseStoredResponse) }
  const summaries = await readSummaryTimes(store, rfq, parsed, asOf)
  const { offers } = assessRfq({ ...parsed, listings: new Map(), problemsOf: () => 0, ...summaries }, context)
  return awardState(award, { offers, settings })
}

function toItem(award: AwardRecord, state: AwardState, { byId, since }: TodayContext): TodayItem[] {
  const findings = state.findings.filter(
    (finding) => finding.code !== 'accepted' || (finding.since !== null && new Date(finding.since) > since),
  )
  const [first] = findings
  if (first === undefined) return []
  const { channel, rfqId, rfqNumber } = award
  const row = byId.get(keyOf({ channel, id: rfqId }))
  const name = row?.name ?? nameById(rfqId)
  return [
    {
      kind: 'award',
      severity: first.severity,
      ...rfqFields(channel, rfqId, row, rfqNumber),
      words: sentences(`Awarded: ${awardText(award)}.`, ...findings.map(({ words }) => words), state.next),
      since: first.since,
      action: {
        words: state.status === 'differs' ? 'Decide again' : 'See the award',
        command: `quotekeeper award ${quoteForShell(name)} ${onChannel(channel)}${state.status === 'differs' ? ' --withdraw' : ''}`,
        path: rfqPath(channel, name),
      },
    },
  ]
}
