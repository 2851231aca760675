import type { ComponentChildren } from 'preact'
import { TableView } from '../../components/table-view.js'
import { downloadOf } from '../../tables/table-file.js'
import type { PageContent, PageRequest, ShownTable } from '../page.js'
import { FilterForm, type FilterFormProps } from './filter-form.js'

interface ListPage<Row> extends Omit<FilterFormProps, 'query'> {
  path: string
  title: string
  /** What the rows are, in a sentence or two. */
  lead?: ComponentChildren
  past?: PageContent['past']
  shown: ShownTable<Row>
}

/** A page with one table that can be filtered, sorted and downloaded. */
export function listPage<Row>(
  page: PageRequest,
  { path, title, lead, past, choices, search, shown }: ListPage<Row>,
): PageContent {
  return {
    title,
    current: path,
    past,
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <div class="listhead">
          <h1>{title}</h1>
          <FilterForm query={page.query} choices={choices} {...(search && { search })} />
        </div>
        {lead !== undefined && <p class="lead">{lead}</p>}
        <TableView {...shown} link={page.link} />
      </>
    ),
  }
}
