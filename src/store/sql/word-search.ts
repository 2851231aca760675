/** The condition that a text has all words, which `wordPatterns` are the parameters of. */
export const hasWords = (column: string, words: readonly string[]): string =>
  words.map((_word, at) => `${column} like @word${at} escape '!'`).join(' and ')

/** The parameters of `hasWords`. @param words in lower case, at least one */
export const wordPatterns = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word, at) => [`word${at}`, `%${word.replaceAll(/[!%_]/g, '!$&')}%`]))
