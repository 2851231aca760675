/**
 * The inside of a character class (for a RegExp with the flag `u`): characters that are not shown, or that hide or reorder
 * others. Control characters (C0 and C1), format characters (such as zero-width and bidirectional ones), line and paragraph
 * separators, lone surrogates, and everything else that Unicode lets programs ignore, such as the Hangul fillers.
 */
export const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'
