import { cleanText } from '../../core/text/clean-text.js'

/** Cleans text and escapes it for content and attributes of XML, HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  cleanText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
