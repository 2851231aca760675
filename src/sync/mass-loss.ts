/** Shorter lists may lose any number of entries. */
const MIN_ENTRIES = 10

/**
 * Detects a list that suddenly lost more than half of ten or more entries. Such a list is more likely incomplete than
 * correct, so nothing is marked missing because of it (docs/ARCHITECTURE.md, "Absence is not deletion").
 * @param present identifiers that are stored and not missing
 * @param listed identifiers of the list just read
 * @param noun what the list contains, in the plural
 * @returns what was lost and what to do, or null
 */
export function detectMassLoss(present: readonly string[], listed: ReadonlySet<string>, noun: string): string | null {
  const lost = present.filter((id) => !listed.has(id)).length
  if (present.length < MIN_ENTRIES || lost * 2 <= present.length) return null
  return (
    `The list suddenly lost ${lost} of ${present.length} ${noun}, so nothing was marked missing. ` +
    'If the list is right, run: quotekeeper sync --accept-loss.'
  )
}
