/** The least similarity of what a user may have meant. */
const MIN_SIMILARITY = 0.4

/** The pairs of neighbouring characters of a text, in lower case, those at its beginning and end included. */
function pairsOf(text: string): Set<string> {
  const padded = ` ${text.toLowerCase()} `
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)))
}

/**
 * Finds the candidates a user may have meant, best first: those that contain the text, or share many pairs of characters with it as
 * a whole or in one of their words (Sørensen–Dice coefficient).
 * @param text what was typed
 * @param max how many to return
 */
export function closestMatches(text: string, candidates: readonly string[], max = 3): string[] {
  const pairs = pairsOf(text)
  const similarity = (word: string) => {
    const others = pairsOf(word)
    return (2 * [...pairs].filter((pair) => others.has(pair)).length) / (pairs.size + others.size)
  }
  const contains = (candidate: string) => text.length >= 3 && candidate.toLowerCase().includes(text.toLowerCase())
  return [...new Set(candidates)]
    .map((candidate) => {
      const alike = [candidate, ...candidate.split(/\s+/)].map(similarity)
      return { candidate, similarity: Math.max(contains(candidate) ? MIN_SIMILARITY : 0, ...alike) }
    })
    .filter((each) => each.similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

/** `did you mean X? `, or nothing if no candidate is similar: the beginning of a sentence that lists what there is. */
export function didYouMean(text: string, candidates: readonly string[], question = 'did you mean'): string {
  const [close] = closestMatches(text, candidates, 1)
  return close === undefined ? '' : `${question} ${close}? `
}
