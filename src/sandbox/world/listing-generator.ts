import type { Faker } from '@faker-js/faker'
import { calendarDate, DAY, daysAfter, yearOf } from './calendar-dates.js'
import {
  developers,
  type ProjectType,
  places,
  projectTypes,
  type Registry,
  registryIds,
  type Theme,
} from './catalogue.js'
import type { Listing } from './document-types.js'
import type { SeededRandom } from './seeded-random.js'

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
  const f = random.faker(name)
  const kind = f.helpers.arrayElement(projectTypes.filter((each) => theme === 'any' || each.themes.includes(theme)))
  const developer = f.helpers.arrayElement(kind.developers)
  const area = f.helpers.arrayElement(kind.places)
  const place = f.helpers.arrayElement<string>(places[area])
  const [registry, methodologies] = f.helpers.arrayElement(kind.standards)
  const started = calendarDate(now - f.number.int({ min: 4, max: 14 }) * 365 * DAY)
  const batches = makeBatches(f, kind, now)
  return {
    id,
    additionalData: makeAdditionalData(f, now),
    notableBuyersAndInvestors: f.helpers.multiple(() => f.company.name(), { count: { min: 0, max: 3 } }),
    projectName: `${place} ${f.helpers.arrayElement(kind.nouns)}`,
    projectDescription: f.datatype.boolean(0.95) ? describeProject(kind, place, developer) : null,
    country: area.slice(0, 2),
    firstIssuanceDate: f.datatype.boolean(0.9) ? daysAfter(started, f.number.int({ min: 500, max: 900 })) : null,
    projectStartDate: started,
    projectEndDate: f.datatype.boolean(0.85) ? daysAfter(started, f.helpers.arrayElement([20, 30, 40]) * 365) : null,
    ecosystemTypes: [...kind.ecosystemTypes],
    ecosystemSubtypes: [...kind.ecosystemSubtypes],
    methodologies: [f.helpers.arrayElement(methodologies)],
    currentProjectStages: [f.helpers.arrayElement(['Issuing', 'Issuing', 'Registered', 'Under validation'])],
    mainMitigationActivity: kind.activity,
    registry,
    certificationLabels: makeLabels(f, kind),
    registryId: makeRegistryId(f, registry),
    additionalDocumentation: { url: `https://files.sandbox.invalid/documents/${id}.pdf`, expires: 0 },
    organizationName: developer,
    organizationDescription: developers[developer],
    creditAvailability: batches.map(({ range: _range, ...batch }) => batch),
    totalAvailableVolume: { type: 'fixed', value: sum(batches.map((batch) => batch.availableVolume.value)) },
    availableVolume: batches.map(({ reportingPeriodStart, reportingPeriodEnd, range, mitigationTypes }) => ({
      reportingPeriodStart,
      reportingPeriodEnd,
      availableVolumeRange: range,
      mitigationTypes,
    })),
    pricing: makePricing(f, kind),
    storefrontUrl: `https://storefront.sandbox.invalid/${f.helpers.slugify(place).toLowerCase()}-${id.slice(0, 8)}`,
  }
}

/** A new price range near the listing's current one. */
export function repriceListing(f: Faker, { pricing }: Listing): Pick<Listing, 'pricing'> {
  const factor = f.number.float({ min: 0.93, max: 1.08 })
  const { minUnitPrice, maxUnitPrice } = pricing
  return {
    pricing: { ...pricing, minUnitPrice: cents(minUnitPrice * factor), maxUnitPrice: cents(maxUnitPrice * factor) },
  }
}

export const cents = (amount: number): number => Math.round(amount * 100) / 100
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

function describeProject(kind: ProjectType, place: string, developer: string): string {
  return `${developer} ${kind.about}. The project area lies in ${place}.`
}

function makeBatches(f: Faker, kind: ProjectType, now: number) {
  const newest = yearOf(calendarDate(now)) - 1
  const count = f.number.int({ min: 2, max: 4 })
  return Array.from({ length: count }, (_, index) => {
    const year = newest - count + 1 + index
    const value = round(f.number.int({ min: kind.yearly[0], max: kind.yearly[1] }), 100)
    return {
      reportingPeriodStart: `${year}-01-01`,
      reportingPeriodEnd: `${year}-12-31`,
      availableVolume: { type: 'fixed', value },
      mitigationTypes: [kind.mitigation],
      estimatedTradableDate: `${year + 1}-0${f.number.int({ min: 3, max: 9 })}-15`,
      range: { min: round(value * 0.8, 100), max: value },
    }
  })
}

function makePricing(f: Faker, kind: ProjectType): Listing['pricing'] {
  const low = f.number.float({ min: kind.price[0], max: kind.price[1] * 0.8, fractionDigits: 2 })
  return {
    currency: f.datatype.boolean(0.7) ? 'USD' : 'EUR',
    minUnitPrice: low,
    maxUnitPrice: cents(Math.min(kind.price[1], low * f.number.float({ min: 1.1, max: 1.5 }))),
    notes: f.helpers.arrayElement(['Price depends on vintage and volume.', 'Indicative; ask for a quote.', '']),
  }
}

function makeLabels(f: Faker, kind: ProjectType): string | string[] {
  const labels = f.helpers.arrayElements([...kind.labels], { min: 0, max: kind.labels.length })
  return labels.length === 1 && f.datatype.boolean() ? (labels[0] ?? []) : labels
}

function makeRegistryId(f: Faker, registry: Registry): string {
  return f.helpers.replaceSymbols(registryIds[registry].replace(/^([^#]*)#/, `$1${f.number.int({ min: 1, max: 9 })}`))
}

function makeAdditionalData(f: Faker, now: number): Listing['additionalData'] {
  if (f.datatype.boolean(0.15)) return null
  return {
    projectContact: f.person.fullName(),
    areaHectares: f.number.int({ min: 120, max: 240_000 }),
    correspondingAdjustment: f.datatype.boolean(0.2),
    sustainableDevelopmentGoals: f.helpers.arrayElements(['SDG 1', 'SDG 6', 'SDG 8', 'SDG 13', 'SDG 15'], 3),
    projectDesignDocument: {
      fileName: `project-design-document-v${f.number.int({ min: 1, max: 4 })}.pdf`,
      contentType: 'application/pdf',
      fileSizeBytes: f.number.int({ min: 400_000, max: 18_000_000 }),
      uploadedAt: new Date(now - f.number.int({ min: 20, max: 400 }) * DAY).toISOString(),
    },
  }
}

const round = (value: number, step: number): number => Math.round(value / step) * step
