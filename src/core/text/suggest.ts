/** Case-insensitive edit distance: insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(one: string, other: string): number {
  const [a, b] = [[...one.toLowerCase()], [...other.toLowerCase()]]
  // The distances of all beginnings of both texts.
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(a.length, b.length)
}

/**
 * Finds the candidates a user may have meant, best first: those that contain the text, or are within some edits of it as
 * a whole or in one of their words.
 * @param text what was typed
 * @param options.max how many to return; default 3
 * @param options.maxDistance how many edits are allowed; default a third of the text's length
 */
export function closestMatches(
  text: string,
  candidates: readonly string[],
  { max = 3, maxDistance = Math.max(1, Math.floor(text.length / 3)) }: { max?: number; maxDistance?: number } = {},
): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(text, candidate, maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

/** `did you mean X? `, or nothing if no candidate is similar: the beginning of a sentence that lists what there is. */
export function didYouMean(text: string, candidates: readonly string[], question = 'did you mean'): string {
  const [close] = closestMatches(text, candidates, { max: 1 })
  return close === undefined ? '' : `${question} ${close}? `
}

function distanceOf(text: string, candidate: string, maxDistance: number): number {
  // Comparing a word that is much longer, also if each of its characters takes two places, would take long.
  const isTooLong = (word: string) => word.length / 2 > text.length + maxDistance
  const distanceTo = (word: string) => (isTooLong(word) ? Number.POSITIVE_INFINITY : editDistance(text, word))
  const contains = text.length >= 3 && candidate.toLowerCase().includes(text.toLowerCase())
  const words = candidate.split(/\s+/)
  // Matching a part counts less than matching the whole.
  const parts = contains ? [1] : words.length === 1 ? [] : words.map((word) => distanceTo(word) + 1)
  return Math.min(distanceTo(candidate), ...parts)
}
