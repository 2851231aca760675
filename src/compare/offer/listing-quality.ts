import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import type { Timestamp } from '../../core/time/clock.js'
import { type Source, toSource } from '../input/comparison-context.js'
import type { CalendarDate, ParsedListing } from '../input/comparison-input.js'
import { type Availability, availabilityOf } from './availability.js'

/** The project behind the offer, as described by its developer; unverified. */
export interface ListingQuality {
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

/**
 * Extracts the quality facts of a listing.
 * @param known undefined if it was not observed; all its facts are unknown then
 */
export function listingQuality(known: ParsedListing | undefined): ListingQuality {
  const listing = known?.document ?? null
  return {
    missingSince: known?.missingSince ?? null,
    source: known === undefined ? null : toSource('listing', known),
    projectName: nonBlank(listing?.projectName),
    organizationName: nonBlank(listing?.organizationName),
    country: nonBlank(listing?.country),
    registry: nonBlank(listing?.registry),
    registryId: nonBlank(listing?.registryId),
    methodologies: listing?.methodologies.filter(nonBlank) ?? [],
    mitigationActivity: nonBlank(listing?.mainMitigationActivity),
    ecosystemTypes: [...(listing?.ecosystemTypes ?? [])],
    ecosystemSubtypes: [...(listing?.ecosystemSubtypes ?? [])],
    labels: labelsOf(listing?.certificationLabels ?? null),
    projectStages: [...(listing?.currentProjectStages ?? [])],
    firstIssuanceDate: listing?.firstIssuanceDate ?? null,
    storefrontUrl: httpsOnly(listing?.storefrontUrl ?? null),
    availableVolume: plausibleOrNull(listing?.totalAvailableVolume?.value),
    availability: listing === null ? { credits: [], ranges: [] } : availabilityOf(listing),
    minUnitPrice: plausibleOrNull(listing?.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(listing?.pricing?.maxUnitPrice),
    currency: nonBlank(listing?.pricing?.currency),
  }
}

function labelsOf(labels: string | string[] | null): string[] {
  return (typeof labels === 'string' ? [labels] : (labels ?? [])).filter(nonBlank)
}

function httpsOnly(address: string | null): string | null {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null
}
