/** The result of one check. */
export interface Finding {
  what: string
  ok: boolean
  /** What was found, or the error. */
  found: string
  /** What to do about it; empty if there is nothing to do, or if `found` says it. */
  remedy: string
}

/** A test of one thing that `start` needs. */
export interface Check {
  what: string
  run: () => Promise<CheckResult>
  /** What to do about an error whose message has no remedy. */
  remedy: string
}

export type CheckResult = Omit<Finding, 'what'>

export const passed = (found: string): CheckResult => ({ ok: true, found, remedy: '' })
/** Everything works, but the remedy is advisable. */
export const warning = (found: string, remedy: string): CheckResult => ({ ok: true, found, remedy })
/** @param remedy may be empty if `found` says what to do */
export const failed = (found: string, remedy = ''): CheckResult => ({ ok: false, found, remedy })
