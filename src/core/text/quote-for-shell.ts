/** Quotes an argument only if a shell would otherwise change it. */
export const quoteForShell = (text: string): string =>
  /^[\w./-][\w./:=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
