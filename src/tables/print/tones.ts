type Tone = 'good' | 'warn' | 'bad'

/** Words by which a state is coloured; the word carries the meaning. Other words are neutral. */
const WORDS: Record<Tone, readonly string[]> = {
  good: ['complete', 'closed', 'already-closed', 'up to date', 'works', 'accepted', 'awarded', 'recommended'],
  warn: ['partial', 'interrupted', 'pending', 'missing', 'not valid', 'waiting', 'blocked'],
  bad: [
    ...['list not whole', 'failed', 'refused', 'unknown', 'behind', 'fails', 'overdue', 'differs'],
    ...['loud doubts', 'beyond listing', 'due today', 'due tomorrow'],
  ],
}
const TONES = new Map(
  Object.entries(WORDS).flatMap(([tone, words]) => words.map((word) => [word, tone as Tone] as const)),
)

/** The colour of a state by its word. */
export const toneOf = (word: string): Tone | 'neutral' => TONES.get(word) ?? 'neutral'
