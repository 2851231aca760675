import type { ComponentChildren } from 'preact'
import type { Table } from '../tables/table.js'
import { downloadOf } from '../tables/table-file.js'
import { TableView } from '../views/table-view.js'
import { FilterForm, type FilterFormProps } from './filter-form.js'
import { type PageContent, type PageRequest, pageOf } from './page.js'

interface ListPage<Row> extends Omit<Table<Row>, 'allRows'>, Omit<FilterFormProps, 'query'> {
  path: string
  title: string
  /** What the rows are, in a sentence or two. */
  lead?: ComponentChildren
  /** The past moment that it shows; undefined for the current state. */
  asOf?: Date | undefined
}

/** A page with one table that can be filtered, sorted and downloaded. */
export function listPage<Row>(
  page: PageRequest,
  { path, title, lead, asOf, choices, search, ...table }: ListPage<Row>,
): PageContent {
  const shown = pageOf(page, table)
  return {
    title,
    current: path,
    asOf,
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
        <FilterForm query={page.query} choices={choices} {...(search && { search })} />
        <TableView {...shown} link={page.link} />
      </>
    ),
  }
}
