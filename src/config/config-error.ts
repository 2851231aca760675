import { UserFacingError } from '../core/user-facing-error.js'

/** One error in the configuration. */
export interface ConfigIssue {
  /** The file, `environment` for a variable, or `command line` for an option. */
  file: string
  /** Counted from 1; null if the error has no line. */
  line: number | null
  /** `channels[0].autoClose (acme/forest)`; empty for the file as a whole. */
  key: string
  /** What is wrong and what is allowed. Never contains the value, which may be a secret. */
  message: string
}

/** The configuration is invalid. Contains all errors; exit status 2. */
export class ConfigError extends UserFacingError {
  readonly issues: readonly ConfigIssue[]
  constructor(issues: readonly ConfigIssue[]) {
    const count = issues.length === 1 ? '1 error' : `${issues.length} errors`
    super([`${count} in the configuration`, ...issues.map(describe)].join('\n\n'))
    this.issues = issues
  }
}

function describe({ file, line, key, message }: ConfigIssue): string {
  const place = line === null ? file : `${file}:${line}`
  return `  ${place}${key === '' ? '' : `  ${key}`}\n    ${message}`
}
