/** One error in the configuration. */
export interface ConfigIssue {
  /** The file, `environment` for a variable, or `command line` for an option. */
  file: string
  /** Counted from 1; null if the error has no line. */
  line: number | null
  /** `channels[0].autoClose (acme/forest)`; empty for the file as a whole. */
  key: string
  /** What was found; never contains a key or password. */
  found: string
  /** What is allowed, and what to do. */
  allowed: string
}

/** The configuration is invalid. Contains all errors; exit status 2. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly issues: readonly ConfigIssue[]
  constructor(issues: readonly ConfigIssue[]) {
    super(describe(issues))
    this.issues = issues
  }
}

function describe(issues: readonly ConfigIssue[]): string {
  const count = issues.length === 1 ? '1 error' : `${issues.length} errors`
  return [`${count} in the configuration`, ...issues.map(describeIssue)].join('\n\n')
}

function describeIssue({ file, line, key, found, allowed }: ConfigIssue): string {
  const place = line === null ? file : `${file}:${line}`
  return [`  ${place}${key === '' ? '' : `  ${key}`}`, `    found:   ${found}`, `    allowed: ${allowed}`].join('\n')
}
