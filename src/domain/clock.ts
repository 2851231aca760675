/** Returns the current time. Passed as a parameter so that tests control it. */
export type Clock = () => Date

/** UTC, ISO 8601 with milliseconds: the format of every timestamp stored or shown. */
export type Timestamp = string
