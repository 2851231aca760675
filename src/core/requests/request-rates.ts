import type { RequestRates } from '../records.js'

/** What to do if the requests that the limit allows do not suffice. */
export const SHORTAGE_REMEDY =
  'raise polling.offersMaxAgeMinutes, poll less often (schedule.rfqs), or raise requests.perSecond if the marketplace allows more; until then, the most valuable documents are read first (docs/POLLING.md)'

/** Says with the numbers that not every document can be read within its maximum age; null if it can. */
export function describeShortage(rates: RequestRates | null | undefined): string | null {
  if (!rates || rates.required <= rates.allowed) return null
  const { required, allowed, ageMinutes } = rates
  return (
    `requests do not suffice: ${perSecond(required)} per second are needed to read everything within its maximum age, ` +
    `${perSecond(allowed)} are available, so what is shown becomes at most about ${duration(ageMinutes)} old`
  )
}

const perSecond = (rate: number) => (rate < 0.995 ? rate.toPrecision(2) : rate.toFixed(1))

const duration = (minutes: number) => (minutes < 120 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`)
