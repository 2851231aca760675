import { expect, it } from 'vitest'
import { escapeMarkup } from '../../src/tables/look/markup.js'

it('escapes markup and removes control characters', () => {
  expect(escapeMarkup(`<a b="1">&'\u0000`)).toBe('&#60;a b=&#34;1&#34;&#62;&#38;&#39;\uFFFD')
})
