import { expect, it } from 'vitest'
import { escapeHtml } from '../../../reports/html/escape-html.js'
import { escapeXml } from '../../../reports/xlsx/escape-xml.js'

it.each([
  ['XML', escapeXml],
  ['HTML', escapeHtml],
])('escapes markup and removes control characters in %s', (_, escapeText) => {
  expect(escapeText(`<a b="1">&'\u0000`)).toBe('&#60;a b=&#34;1&#34;&#62;&#38;&#39;\uFFFD')
})
