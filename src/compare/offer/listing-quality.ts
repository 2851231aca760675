import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import { toSource } from '../input/comparison-context.js'
import type { ParsedListing } from '../input/comparison-input.js'
import { availabilityOf, NOTHING_AVAILABLE } from './availability.js'

/**
 * Extracts the quality facts of a listing.
 * @param known undefined if it was not observed; all its facts are unknown then
 */
export function listingQuality(known: ParsedListing | undefined) {
  const listing = known?.document ?? null
  return {
    missingSince: known?.missingSince ?? null,
    source: known === undefined ? null : toSource('listing', known),
    country: nonBlank(listing?.country),
    registry: nonBlank(listing?.registry),
    registryId: nonBlank(listing?.registryId),
    methodologies: listing?.methodologies.filter(nonBlank) ?? [],
    mitigationActivity: nonBlank(listing?.mainMitigationActivity),
    ecosystemTypes: [...(listing?.ecosystemTypes ?? [])],
    ecosystemSubtypes: [...(listing?.ecosystemSubtypes ?? [])],
    /** As claimed. */
    labels: labelsOf(listing?.certificationLabels ?? null),
    storefrontUrl: httpsOnly(listing?.storefrontUrl ?? null),
    /** Its total available volume, tonnes. */
    availableVolume: plausibleOrNull(listing?.totalAvailableVolume?.value),
    availability: listing === null ? NOTHING_AVAILABLE : availabilityOf(listing),
  }
}

/** The project behind the offer, as described by its developer; unverified. */
export type ListingQuality = ReturnType<typeof listingQuality>

function labelsOf(labels: string | string[] | null): string[] {
  return (typeof labels === 'string' ? [labels] : (labels ?? [])).filter(nonBlank)
}

function httpsOnly(address: string | null): string | null {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null
}
