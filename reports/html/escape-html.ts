import { cleanText } from '../layout/clean-text.js'

/** Cleans text and escapes it for HTML and SVG content and attributes. */
export const escapeHtml = (text: string): string =>
  cleanText(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
