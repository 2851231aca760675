/** Quotes a path only if a shell would otherwise change it. */
export const quoteForShell = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
