/**
 * How many insertions, deletions, replacements and swaps of neighbours turn one text into the other (optimal string
 * alignment), without regard to case.
 * @returns 0 for equal texts, at most the length of the longer one
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
 * The candidates that a person may have meant, best first: those within some edits of the text, as a whole or by one of
 * their words, and those that contain it.
 * @param text what was typed
 * @param options.most how many to return; default 3
 * @param options.reach how many edits apart a candidate may be; default a third of the text's length
 */
export function closestMatches(
  text: string,
  candidates: readonly string[],
  { most = 3, reach = Math.max(1, Math.floor(text.length / 3)) }: { most?: number; reach?: number } = {},
): string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(text, candidate) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

function distanceOf(text: string, candidate: string): number {
  const whole = editDistance(text, candidate)
  if (text.length >= 3 && candidate.toLowerCase().includes(text.toLowerCase())) return Math.min(whole, 1)
  const words = candidate.split(/\s+/)
  // A word is a weaker likeness than the whole.
  return words.length === 1 ? whole : Math.min(whole, ...words.map((word) => editDistance(text, word) + 1))
}
