/** An error whose message is written for users, and says what to do. */
export class UserFacingError extends Error {
  override name = this.constructor.name
  /** Kept by a copy in another thread, which has no class. */
  readonly isUserFacing = true
}

export const isUserFacing = (error: unknown): boolean => Object(error).isUserFacing === true
