/** The sandbox cannot start or cannot save its state. The message tells the user what to do. */
export class SandboxError extends Error {
  override name = 'SandboxError'
}
