/** Hands in the present; tests hand in their own (architecture.md, rule 8). */
export type Clock = () => Date

/** UTC ISO 8601 with milliseconds: the form of every timestamp stored or shown. */
export type Timestamp = string
