/** One condition that must hold for the service to do its work. */
export interface ReadinessCheck {
  /** `database`, `queue`, `rfqs of acme/forest`, … */
  name: string
  ok: boolean
  /** For operators; never contains a secret. */
  message: string
}

/** Runs every check; settles within seconds. */
export type Readiness = () => Promise<ReadinessCheck[]>
