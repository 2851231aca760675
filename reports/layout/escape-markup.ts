import { cleanText } from './clean-text.js'

/** Cleans text and escapes it for content and attributes of XML, HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  cleanText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Spreadsheets read `_x0041_` as `A` (ECMA-376 part 1, ST_Xstring), so the underscore of such text is escaped. */
export const escapeXstring = (text: string): string => text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
