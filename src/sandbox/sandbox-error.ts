/** The sandbox cannot start, or cannot keep its state: tell the user. The message holds the remedy. */
export class SandboxError extends Error {
  override name = 'SandboxError'
}
