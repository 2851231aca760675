import { type DatedRate, dayBefore, MAX_RATE_AGE_DAYS, RECORDED_RATE_DAYS } from '../../core/decision/exchange-rates.js'
import { insertMembers, type Queries, type SqlDatabase } from '../sql/sql-database.js'

/** The newest rates by currency and day that were fetched by @at, dated from @from to @to. */
const SELECT_NEWEST = `select e.currency, e.date, e.rate from exchange_rates e
  where e.source = @source and e.date >= @from and e.date <= @to and e.fetched_at = (
    select max(o.fetched_at) from exchange_rates o
    where o.currency = e.currency and o.date = e.date and o.source = @source and o.fetched_at <= @at)
  order by e.currency, e.date`

/** The queries of readers. */
export const createRateQueries = (database: Queries) => ({
  /** The rates of a source that had been recorded by a moment, dated at most `MAX_RATE_AGE_DAYS` before its day, and not after it. */
  ratesAt(source: string, at: Date): Promise<DatedRate[]> {
    const to = dayBefore(at)
    const known = { source, to, at: at.toISOString(), from: dayBefore(at, MAX_RATE_AGE_DAYS) }
    return database.all<DatedRate>(SELECT_NEWEST, known)
  },
})

/** The recorded exchange rates, with the moments at which they were recorded, so that past moments use the rates known at that time. */
export const createExchangeRates = (database: SqlDatabase) => ({
  ...createRateQueries(database),

  /**
   * Records rates of a source that are new, or differ from the newest known rate of their currency and day. Recorded rates never change.
   * Rates that are older than `RECORDED_RATE_DAYS` are skipped.
   * @param source as in `Settings.ratesFrom`
   * @returns how many were recorded
   */
  recordRates: (source: string, rates: readonly DatedRate[], fetchedAt: Date): Promise<number> =>
    database.write(async (tx) => {
      await tx.lock('exchange-rates')
      const at = fetchedAt.toISOString()
      const [from, to] = [dayBefore(fetchedAt, RECORDED_RATE_DAYS), dayBefore(fetchedAt)]
      const known = await tx.all<DatedRate>(SELECT_NEWEST, { source, from, to, at })
      const rateOf = new Map(known.map((each) => [keyOf(each), each.rate]))
      const changed = rates.filter(
        (each) => each.date >= from && each.date <= to && rateOf.get(keyOf(each)) !== each.rate,
      )
      const rows = changed.map(({ currency, date, rate }) => ({ currency, date, rate, source, fetchedAt: at }))
      await insertMembers(tx, 'exchange_rates', rows)
      return changed.length
    }),
})

const keyOf = ({ currency, date }: DatedRate) => `${currency} ${date}`
