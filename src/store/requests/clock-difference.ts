/** Between the clocks of two machines that share a database. */
export const MAX_CLOCK_DIFFERENCE_MS = 600_000
