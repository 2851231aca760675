import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import type { Timestamp } from '../../core/time/clock.js'
import { type Source, toSource } from '../input/comparison-context.js'
import type { CalendarDate, ParsedListing } from '../input/comparison-input.js'
import { type Availability, availabilityOf } from './availability.js'

/** The project behind the offer, as described by its developer; unverified. */
export interface ListingQuality {
  /** False if no listing with this ID has been observed. */
  known: boolean
  missingSince: Timestamp | null
  source: Source | null
  projectName: string | null
  organizationName: string | null
  country: string | null
  registry: string | null
  registryId: string | null
  methodologies: string[]
  mitigationActivity: string | null
  ecosystemTypes: string[]
  ecosystemSubtypes: string[]
  /** "As claimed". */
  labels: string[]
  projectStages: string[]
  firstIssuanceDate: CalendarDate | null
  /** `https:` or null. */
  storefrontUrl: string | null
  /** The listing's total available volume, tonnes. */
  availableVolume: number | null
  availability: Availability
  /** The listing's own price range, in its own currency. */
  minUnitPrice: number | null
  maxUnitPrice: number | null
  currency: string | null
}

const UNKNOWN: ListingQuality = {
  known: false,
  missingSince: null,
  source: null,
  projectName: null,
  organizationName: null,
  country: null,
  registry: null,
  registryId: null,
  methodologies: [],
  mitigationActivity: null,
  ecosystemTypes: [],
  ecosystemSubtypes: [],
  labels: [],
  projectStages: [],
  firstIssuanceDate: null,
  storefrontUrl: null,
  availableVolume: null,
  availability: { credits: [], ranges: [] },
  minUnitPrice: null,
  maxUnitPrice: null,
  currency: null,
}

/** Extracts the quality facts of a listing. */
export function listingQuality(known: ParsedListing | undefined): ListingQuality {
  if (known === undefined) return { ...UNKNOWN }
  const listing = known.document
  const observed = { known: true, missingSince: known.missingSince, source: toSource('listing', known) }
  if (listing === null) return { ...UNKNOWN, ...observed }
  return {
    ...UNKNOWN,
    ...observed,
    country: nonBlank(listing.country),
    registry: nonBlank(listing.registry),
    registryId: nonBlank(listing.registryId),
    methodologies: listing.methodologies.filter(nonBlank),
    mitigationActivity: nonBlank(listing.mainMitigationActivity),
    labels: labelsOf(listing.certificationLabels),
    projectName: nonBlank(listing.projectName),
    organizationName: nonBlank(listing.organizationName),
    ecosystemTypes: [...listing.ecosystemTypes],
    ecosystemSubtypes: [...listing.ecosystemSubtypes],
    projectStages: [...listing.currentProjectStages],
    firstIssuanceDate: listing.firstIssuanceDate,
    storefrontUrl: httpsOnly(listing.storefrontUrl),
    availableVolume: plausibleOrNull(listing.totalAvailableVolume?.value),
    availability: availabilityOf(listing),
    minUnitPrice: plausibleOrNull(listing.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(listing.pricing?.maxUnitPrice),
    currency: nonBlank(listing.pricing?.currency),
  }
}

function labelsOf(labels: string | string[] | null): string[] {
  return (typeof labels === 'string' ? [labels] : (labels ?? [])).filter(nonBlank)
}

function httpsOnly(address: string | null): string | null {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null
}
