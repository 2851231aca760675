/** A list that had at least this many entries is not believed when it suddenly lost more than half of them. */
const MANY = 10

/**
 * Says why a list should not be believed, or null (architecture.md, rule 2): it lost over half of ten or more.
 * @param present identifiers known to be there
 * @param shown identifiers of the list just read
 */
export function detectMassLoss(present: readonly string[], shown: ReadonlySet<string>, what: string): string | null {
  const lost = present.filter((id) => !shown.has(id)).length
  if (present.length < MANY || lost * 2 <= present.length) return null
  return (
    `The list suddenly lost ${lost} of ${present.length} ${what}; it is not believed, and nothing was marked missing. ` +
    'If it is right: quotekeeper sync --accept-loss.'
  )
}
