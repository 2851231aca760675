/** The approval plan does not exist, has expired, or belongs to another channel: ask for a new one. */
export class PlanError extends Error {
  override name = 'PlanError'
}
