import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { TableView } from '../../../src/web/components/table-view.js'
import { pageOf } from '../../../src/web/pages/page.js'

it('a table says that it has only the newest rows if no more are read', () => {
  const columns = [{ key: 'id', title: 'No.', value: (id: number) => id }]
  const footOf = (count: number) => {
    const rows = Array.from({ length: count }, (_, id) => id)
    const table = { name: 'runs', caption: 'Runs', columns, rows, maxRows: 2_000, empty: 'None.' }
    const shown = pageOf({ query: {}, suggest: () => [] }, table)
    return /Page 1 of \d+, [^<]*/.exec(render(TableView({ ...shown, link: () => '' })))?.[0]
  }
  expect(footOf(1_999)).toBe('Page 1 of 50, 1,999 rows')
  expect(footOf(2_000)).toBe('Page 1 of 50, only the newest 2,000 rows')
})
