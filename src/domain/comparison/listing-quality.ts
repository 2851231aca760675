import { sourceOf } from './circumstances.js'
import type { KnownListing } from './input.js'
import type { ListingQuality } from './model.js'
import { plausible, said } from './numbers.js'

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
  minUnitPrice: null,
  maxUnitPrice: null,
  currency: null,
  factsStated: 0,
}

/** What a listing tells of its project: model.ts, `ListingQuality`. */
export function listingQuality(known: KnownListing | undefined): ListingQuality {
  if (known === undefined) return { ...UNKNOWN }
  const listing = known.document
  const observed = { known: true, missingSince: known.missingSince, source: sourceOf('listing', known) }
  if (listing === null) return { ...UNKNOWN, ...observed }
  const facts = {
    country: said(listing.country),
    registry: said(listing.registry),
    registryId: said(listing.registryId),
    methodologies: listing.methodologies.filter(said),
    mitigationActivity: said(listing.mainMitigationActivity),
    labels: labelsOf(listing.certificationLabels),
  }
  return {
    ...UNKNOWN,
    ...observed,
    ...facts,
    projectName: said(listing.projectName),
    organizationName: said(listing.organizationName),
    ecosystemTypes: [...listing.ecosystemTypes],
    ecosystemSubtypes: [...listing.ecosystemSubtypes],
    projectStages: [...listing.currentProjectStages],
    firstIssuanceDate: listing.firstIssuanceDate,
    storefrontUrl: httpsOnly(listing.storefrontUrl),
    availableVolume: plausible(listing.totalAvailableVolume?.value),
    minUnitPrice: plausible(listing.pricing?.minUnitPrice),
    maxUnitPrice: plausible(listing.pricing?.maxUnitPrice),
    currency: said(listing.pricing?.currency),
    factsStated: Object.values(facts).filter((fact) => fact !== null && fact.length > 0).length,
  }
}

function labelsOf(labels: string | string[] | null): string[] {
  return (typeof labels === 'string' ? [labels] : (labels ?? [])).filter(said)
}

function httpsOnly(address: string | null): string | null {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null
}
