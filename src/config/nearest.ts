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
 * The candidates that a person may have meant, best first: those that begin with the text or contain it, then those
 * within a third of its length in edits.
 * @param text what was typed
 * @param most how many to return
 */
export function nearest(text: string, candidates: readonly string[], most = 3): string[] {
  const reach = Math.max(1, Math.floor(text.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, score: likeness(text, candidate) }))
    .filter(({ score }) => score <= reach)
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

function likeness(text: string, candidate: string): number {
  const distance = editDistance(text, candidate)
  const contained = text.length >= 3 && candidate.toLowerCase().includes(text.toLowerCase())
  return contained ? Math.min(distance, 1) : distance
}
