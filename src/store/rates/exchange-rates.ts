import { type DatedRate, dayBefore, MAX_RATE_AGE_DAYS, RECORDED_RATE_DAYS } from '../../core/decision/exchange-rates.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'
import type { ExchangeRates } from './rate-contract.js'

/** Rows written by one statement. */
const ROWS_PER_STATEMENT = 500

/** The newest rates by currency and day that were fetched by @at, dated from @from to @to. */
const SELECT_NEWEST = `select e.currency, e.date, e.rate from exchange_rates e
  where e.source = @source and e.date >= @from and e.date <= @to and e.fetched_at = (
    select max(o.fetched_at) from exchange_rates o
    where o.currency = e.currency and o.date = e.date and o.source = @source and o.fetched_at <= @at)
  order by e.currency, e.date`

/** The queries of readers. */
export const createRateQueries = (database: Queries): Pick<ExchangeRates, 'ratesAt'> => ({
  async ratesAt(source, at) {
    const to = dayBefore(at)
    const known = { source, to, at: at.toISOString(), from: dayBefore(at, MAX_RATE_AGE_DAYS) }
    const [recent, newest] = await Promise.all([
      database.all<DatedRate>(SELECT_NEWEST, known),
      database.all<{ currency: string; date: string }>(
        `select currency, max(date) as date from exchange_rates
        where source = @source and date <= @to and fetched_at <= @at group by currency order by currency`,
        known,
      ),
    ])
    return { recent, newest: Object.fromEntries(newest.map(({ currency, date }) => [currency, date])) }
  },
})

/** The recorded exchange rates. */
export const createExchangeRates = (database: SqlDatabase): ExchangeRates => ({
  ...createRateQueries(database),
  recordRates: (source, rates, fetchedAt) =>
    database.write(async (tx) => {
      await tx.lock('exchange-rates')
      const at = fetchedAt.toISOString()
      const [from, to] = [dayBefore(fetchedAt, RECORDED_RATE_DAYS), dayBefore(fetchedAt)]
      const known = await tx.all<DatedRate>(SELECT_NEWEST, { source, from, to, at })
      const rateOf = new Map(known.map((each) => [keyOf(each), each.rate]))
      const changed = rates.filter(
        (each) => each.date >= from && each.date <= to && rateOf.get(keyOf(each)) !== each.rate,
      )
      for (let start = 0; start < changed.length; start += ROWS_PER_STATEMENT) {
        await insert(tx, changed.slice(start, start + ROWS_PER_STATEMENT), { source, at })
      }
      return changed.length
    }),
})

const keyOf = ({ currency, date }: DatedRate) => `${currency} ${date}`

async function insert(tx: Transaction, rates: readonly DatedRate[], known: { source: string; at: string }) {
  const rows = rates.map((_, row) => `(@currency${row}, @date${row}, @rate${row}, @source, @at)`)
  const values = rates.flatMap(({ currency, date, rate }, row) => [
    [`currency${row}`, currency] as const,
    [`date${row}`, date] as const,
    [`rate${row}`, rate] as const,
  ])
  await tx.run(
    `insert into exchange_rates (currency, date, rate, source, fetched_at) values ${rows.join(', ')}
    on conflict (currency, date, fetched_at) do nothing`,
    { ...Object.fromEntries(values), ...known },
  )
}
