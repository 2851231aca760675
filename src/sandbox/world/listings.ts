import { sum } from '../../core/numbers.js'
import { addDays } from '../../core/time/calendar-days.js'
import { calendarDate, cents, DAY, yearOf } from './calendar.js'
import {
  givenNames,
  legalForms,
  type ProjectType,
  projectTypes,
  type Registry,
  registryIds,
  surnames,
} from './catalogue.js'
import type { RandomValues, SeededRandom } from './random.js'
import type { Listing, Theme } from './records.js'

interface ListingInput {
  /** Seeds the id and all other values, e.g. `acme/forest/listing/3`. */
  name: string
  theme: Theme
  /** The current time, epoch milliseconds. */
  now: number
}

/** Generates a realistic listing of an invented project. */
export function makeListing(random: SeededRandom, { name, theme, now }: ListingInput): Listing {
  const id = random.uuid(name)
  const values = random.values(name)
  const kind = values.pick(projectTypes.filter((each) => theme === 'any' || each.themes.includes(theme)))
  const developer = values.pick(kind.developers)
  const location = values.pick(kind.places)
  const place = location.slice(3)
  const [registry, methodologies] = values.pick(Object.entries(kind.standards)) as [Registry, readonly string[]]
  const started = calendarDate(now - values.integer(4, 14) * 365 * DAY)
  const batches = makeBatches(values, kind, now)
  return {
    id,
    additionalData: makeAdditionalData(values, now),
    notableBuyersAndInvestors: Array.from({ length: values.integer(0, 3) }, () => companyName(values)),
    projectName: `${place} ${values.pick(kind.nouns)}`,
    projectDescription: values.chance(0.95) ? `${kind.activity} in ${place}, by ${developer}.` : null,
    country: location.slice(0, 2),
    firstIssuanceDate: values.chance(0.9) ? addDays(started, values.integer(500, 900)) : null,
    projectStartDate: started,
    projectEndDate: values.chance(0.85) ? addDays(started, values.pick([20, 30, 40]) * 365) : null,
    ecosystemTypes: kind.ecosystem ? [kind.ecosystem[0]] : [],
    ecosystemSubtypes: kind.ecosystem ? [kind.ecosystem[1]] : [],
    methodologies: [values.pick(methodologies)],
    currentProjectStages: [values.pick(['Issuing', 'Issuing', 'Registered', 'Under validation'])],
    mainMitigationActivity: kind.activity,
    registry,
    certificationLabels: makeLabels(values, kind),
    registryId: makeRegistryId(values, registry),
    additionalDocumentation: { url: `https://files.sandbox.invalid/documents/${id}.pdf`, expires: 0 },
    organizationName: developer,
    organizationDescription: `Invented developer of projects. Activity: ${kind.activity.toLowerCase()}.`,
    creditAvailability: batches.map(({ range: _range, ...batch }) => batch),
    totalAvailableVolume: { type: 'fixed', value: sum(batches.map((batch) => batch.availableVolume.value)) },
    availableVolume: batches.map(({ reportingPeriodStart, reportingPeriodEnd, range, mitigationTypes }) => ({
      ...{ reportingPeriodStart, reportingPeriodEnd, availableVolumeRange: range, mitigationTypes },
    })),
    pricing: makePricing(values, kind),
    storefrontUrl: `https://storefront.sandbox.invalid/${id.slice(0, 8)}`,
  }
}

/** A new price range near the listing's current one. */
export function repriceListing(values: RandomValues, { pricing }: Listing): Pick<Listing, 'pricing'> {
  const factor = values.number(0.93, 1.08)
  const { minUnitPrice, maxUnitPrice } = pricing
  return {
    pricing: { ...pricing, minUnitPrice: cents(minUnitPrice * factor), maxUnitPrice: cents(maxUnitPrice * factor) },
  }
}

function makeBatches(values: RandomValues, kind: ProjectType, now: number) {
  const newest = yearOf(calendarDate(now)) - 1
  const count = values.integer(2, 4)
  return Array.from({ length: count }, (_, index) => {
    const year = newest - count + 1 + index
    const value = hundreds(values.integer(...kind.yearly))
    return {
      reportingPeriodStart: `${year}-01-01`,
      reportingPeriodEnd: `${year}-12-31`,
      availableVolume: { type: 'fixed', value },
      mitigationTypes: [kind.mitigation],
      estimatedTradableDate: `${year + 1}-0${values.integer(3, 9)}-15`,
      range: { min: hundreds(value * 0.8), max: value },
    }
  })
}

const hundreds = (value: number): number => Math.round(value / 100) * 100

function makePricing(values: RandomValues, { price: [lowest, highest] }: ProjectType): Listing['pricing'] {
  const low = cents(values.number(lowest, highest * 0.8))
  return {
    currency: values.chance(0.7) ? 'USD' : 'EUR',
    minUnitPrice: low,
    maxUnitPrice: cents(Math.min(highest, low * values.number(1.1, 1.5))),
    notes: values.pick(['Price depends on vintage and volume.', 'Indicative; ask for a quote.', '']),
  }
}

function makeLabels(values: RandomValues, { labels }: ProjectType): string | string[] {
  const chosen = values.sample(labels, values.integer(0, labels.length))
  return chosen.length === 1 && values.chance(0.5) ? (chosen[0] ?? []) : chosen
}

/** Replaces each `#` of the registry's format by a digit; the first is not 0. */
function makeRegistryId(values: RandomValues, registry: Registry): string {
  let digits = 0
  return registryIds[registry].replaceAll('#', () => String(values.integer(digits++ === 0 ? 1 : 0, 9)))
}

const companyName = (values: RandomValues): string => `${values.pick(surnames)} ${values.pick(legalForms)}`

function makeAdditionalData(values: RandomValues, now: number): Listing['additionalData'] {
  if (values.chance(0.15)) return null
  return {
    projectContact: `${values.pick(givenNames)} ${values.pick(surnames)}`,
    areaHectares: values.integer(120, 240_000),
    correspondingAdjustment: values.chance(0.2),
    sustainableDevelopmentGoals: values.sample(['SDG 1', 'SDG 6', 'SDG 8', 'SDG 13', 'SDG 15'], 3),
    projectDesignDocument: {
      fileName: `project-design-document-v${values.integer(1, 4)}.pdf`,
      contentType: 'application/pdf',
      fileSizeBytes: values.integer(400_000, 18_000_000),
      uploadedAt: new Date(now - values.integer(20, 400) * DAY).toISOString(),
    },
  }
}
