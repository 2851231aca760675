/** The plan named for approval is none, has expired, or belongs to another channel: ask for a new one. */
export class PlanError extends Error {
  override name = 'PlanError'
}
