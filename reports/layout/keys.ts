/** The words of a text, as a type. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/**
 * The keys of a table's columns in order, from words: `keys('offer due', 'total')` is `['offer', 'due', 'total']`, with
 * a type that allows no others.
 */
export const keys = <Text extends string>(...lines: readonly Text[]): readonly Words<Text>[] =>
  lines.flatMap((line) => line.split(' ') as Words<Text>[])
