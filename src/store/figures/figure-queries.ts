import type { CreditClaim, RecordedRecommendation, RfqClaim } from '../../core/decision/recommendation.js'
import { type Settings, settingsSchema } from '../../core/decision/settings.js'
import { createAwardQueries } from '../awards/award-queries.js'
import { createHistory } from '../documents/queries/history.js'
import { createPollStates } from '../documents/queries/poll-states.js'
import { createRateQueries } from '../rates/exchange-rates.js'
import { findMeta } from '../sql/meta.js'
import { membersOf, type Queries } from '../sql/sql-database.js'

/** The key of `meta` with the settings of all figures, as canonical JSON. */
export const SETTINGS = 'figure_settings'

/** A row of `recommendations` with its settings, with the names of members. */
type RecommendationRow = Omit<RecordedRecommendation, 'offers' | 'settings'> & { offers: string; settings: string }
const RECOMMENDATION = membersOf(
  ...['channel', 'rfqId', 'at', 'status', 'offers', 'tonnes', 'cost', 'pricePerTonne'],
  ...['currency', 'reason', 'settings'],
)

export const createFigureQueries = (queries: Queries) => ({
  /** The newest recommendations for RFQs of a channel. */
  async newestRecommendations(channel: string, rfqIds: readonly string[]): Promise<RecordedRecommendation[]> {
    const rows = await queries.all<RecommendationRow>(
      `select ${RECOMMENDATION} from recommendations join settings on hash = settings_hash
      where channel = @channel and superseded_at is null and ${queries.dialect.anyOf('rfq_id', '@ids')}`,
      { channel, ids: rfqIds },
    )
    return rows.map((row) => ({
      ...row,
      offers: JSON.parse(row.offers) as RecordedRecommendation['offers'],
      settings: JSON.parse(row.settings) as unknown,
    }))
  },

  /** The newest run that polled the listings of a channel, which stay as they are until another does; null while one does. */
  async listingsPolledBy(channel: string): Promise<number | null> {
    const polled = `from runs where channel = @channel and kind = 'listings'`
    const row = await queries.get<{ newest: number | null; unfinished: number }>(
      `select (select max(id) ${polled}) as newest, (select count(*) ${polled} and finished_at is null) as unfinished`,
      { channel },
    )
    return row?.unfinished === 0 ? row.newest : null
  },

  /** The settings with which figures are recorded; null if none were. */
  async recordedSettings(): Promise<Settings | null> {
    const text = await findMeta(queries, SETTINGS)
    return settingsSchema.safeParse(JSON.parse(text ?? 'null')).data ?? null
  },

  /** The credits that are spoken for in the RFQs of all channels, as of their rows. */
  async creditClaims(): Promise<CreditClaim[]> {
    const rows = await queries.all<Pick<CreditClaim, 'channel' | 'rfqId' | 'rfqNumber'> & { claims: string }>(
      `select channel, rfq_id as "rfqId", number as "rfqNumber", claims from figures where claims is not null
      order by channel, number, rfq_id`,
    )
    return rows.flatMap(({ claims, ...rfq }) =>
      (JSON.parse(claims) as RfqClaim[]).map((claim) => ({ ...claim, ...rfq })),
    )
  },
})

/** What figures are computed from: the state that a transaction sees. */
export const figureSource = (queries: Queries) => ({
  ...createHistory(queries),
  ...createPollStates(queries),
  ...createAwardQueries(queries),
  ...createRateQueries(queries),
  ...createFigureQueries(queries),
})

export type FigureSource = ReturnType<typeof figureSource>
