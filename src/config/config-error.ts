/** One mistake in the configuration. */
export interface ConfigIssue {
  /** The file it stands in, `environment` for a variable that overrides a key. */
  file: string
  /** Counted from 1; null where no line is to blame. */
  line: number | null
  /** Such as `channels[0].autoClose`, with the channel's name where it is known; empty for the file as a whole. */
  key: string
  /** What stood there, as it may be shown: never a key or password. */
  found: string
  /** What may stand there, and what to do. */
  allowed: string
}

/** The configuration cannot be used. Holds every mistake at once; exit status 2. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly issues: readonly ConfigIssue[]
  constructor(issues: readonly ConfigIssue[]) {
    super(describe(issues))
    this.issues = issues
  }
}

function describe(issues: readonly ConfigIssue[]): string {
  const count = issues.length === 1 ? '1 mistake' : `${issues.length} mistakes`
  return [`${count} in the configuration`, ...issues.map(paragraph)].join('\n\n')
}

function paragraph({ file, line, key, found, allowed }: ConfigIssue): string {
  const place = line === null ? file : `${file}:${line}`
  return [`  ${place}${key === '' ? '' : `  ${key}`}`, `    found:   ${found}`, `    allowed: ${allowed}`].join('\n')
}
