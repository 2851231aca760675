import { searchable } from './comparable-text.js'

/** The words of a search. Something matches that contains all of them. */
export const searchWords = (search: string): string[] => searchable(search).split(/\s+/).filter(Boolean)

/** Longer names are cut for the search. */
const MAX_SEARCHED = 1_000

/** The text of several names that is searched. */
export const searchTextOf = (...names: readonly (string | number | null | undefined)[]): string =>
  searchable(names.filter((name) => name != null).join(' ')).slice(0, MAX_SEARCHED)

/** The names of a listing. */
interface ListingNames {
  id: string | null
  projectName: string | null
  organizationName: string | null
  country: string | null
  registry: string | null
  registryId: string | null
}

/** The text of a listing that is searched. */
export const listingSearchText = (listing: ListingNames): string =>
  searchTextOf(
    ...[listing.projectName, listing.organizationName, listing.country],
    ...[listing.registry, listing.registryId, listing.id],
  )
