import { searchable } from './comparable-text.js'

/** The words of a search. Something matches that contains all of them. */
export const searchWords = (search: string): string[] => searchable(search).split(/\s+/).filter(Boolean)

/** The text of several names that is searched. */
export const searchTextOf = (...names: readonly (string | number | null)[]): string =>
  searchable(names.filter((name) => name !== null).join(' '))
