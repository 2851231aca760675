/**
 * Case-insensitive edit distance: insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
 */
export function editDistance(one: string, other: string): number {
  const a = [...one.toLowerCase()]
  const b = [...other.toLowerCase()]
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) row.push(cell(a, b, i, j, row, last, beforeLast))
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

function cell(a: string[], b: string[], i: number, j: number, row: number[], last: number[], beforeLast: number[]) {
  const at = (from: number[], index: number) => from[index] ?? Number.POSITIVE_INFINITY
  const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
  const swapped =
    i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : replaced
  return Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped)
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
  // A word that is longer by more than the allowed edits, also if each of its characters takes two places, is not compared.
  const isTooLong = (word: string) => word.length / 2 > text.length + maxDistance
  const distanceTo = (word: string) => (isTooLong(word) ? Number.POSITIVE_INFINITY : editDistance(text, word))
  const whole = distanceTo(candidate)
  if (text.length >= 3 && candidate.toLowerCase().includes(text.toLowerCase())) return Math.min(whole, 1)
  const words = candidate.split(/\s+/)
  // Matching one word counts less than matching the whole.
  return words.length === 1 ? whole : words.reduce((least, word) => Math.min(least, distanceTo(word) + 1), whole)
}
