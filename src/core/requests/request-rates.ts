import type { RequestRates } from '../records.js'

/** What to do if the request budget is exceeded. */
export const SHORTAGE_REMEDY =
  'raise polling.offersMaxAgeMinutes, poll less often (schedule.rfqs), or raise requests.perSecond if the marketplace allows more; until then, documents with the highest priority are read first (docs/POLLING.md)'

/** A message with the numbers if not every document can be read within its maximum age; null if all can. */
export function describeShortage(rates: RequestRates | null | undefined): string | null {
  if (!rates || rates.required <= rates.allowed) return null
  const { required, allowed } = rates
  return (
    `the request budget is exceeded: reading everything within its maximum age needs ${perSecond(required)} requests per second, ` +
    `${perSecond(allowed)} are available`
  )
}

const perSecond = (rate: number) => (rate < 0.995 ? rate.toPrecision(2) : rate.toFixed(1))
