import { cleanText } from '../layout/clean-text.js'

/** Cleans text and escapes it for XML content and attributes. */
export const escapeXml = (text: string): string =>
  cleanText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Spreadsheets read `_x0041_` as `A` (ECMA-376 part 1, ST_Xstring), so the underscore of such text is escaped. */
export const escapeXstring = (text: string): string => text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
