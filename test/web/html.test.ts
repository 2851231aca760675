import { Fragment, h } from 'preact'
import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { renderParts } from '../../src/web/http/html.js'

it('a long page is rendered in parts, between which other work runs, to the same HTML', async () => {
  let turns = 0
  const seen: number[] = []
  const count = () => {
    turns++
    if (seen.length < 3) setImmediate(count)
  }
  setImmediate(count)
  const Slow = ({ text }: { text: string }) => {
    seen.push(turns)
    for (const end = performance.now() + 11; performance.now() < end; );
    return h('p', null, text)
  }
  const part = (text: string) => h(Slow, { text })
  const page = h(Fragment, null, 'a < b', part('<1>'), [part('2'), null, false, 3], part('4'))
  expect(await renderParts(page)).toBe('a &lt; b<p>&lt;1></p><p>2</p>3<p>4</p>')
  expect(seen).toEqual([...new Set(seen)])
  expect(await renderParts(h('p', null, 'one'))).toBe('<p>one</p>')
  expect(await renderParts(page)).toBe(render(page))
})
