/** `as of 2026-01-31 12:00 UTC`. */
export const asOfLabel = (asOf: string): string => `as of ${asOf.slice(0, 16).replace('T', ' ')} UTC`
