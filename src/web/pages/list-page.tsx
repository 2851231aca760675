import type { FastifyInstance } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { Filter } from '../../tables/filter.js'
import { parametersOf } from '../../tables/list.js'
import { type ListName, listNamed } from '../../tables/lists/lists.js'
import { type HtmlTable, Table } from '../../tables/print/html.js'
import { WithCommands } from '../components/format.js'
import { addPage, type PageContent, type PageDeps, type PageRequest } from './page.js'
import { type FileTable, fileTable } from './table-file.js'

/** Rows on one page of a list. */
const PAGE_SIZE = 40

/** Serves a list at the path of its name. */
export const addList = (app: FastifyInstance, deps: PageDeps, name: ListName): void =>
  addPage(app, deps, `/${name}`, (page) => listPage(page, name), { names: parametersOf(listNamed(name)) })

/**
 * The page of a list: its filters and its rows.
 * @param above shown between them
 */
export async function listPage(page: PageRequest, name: ListName, above?: ComponentChildren): Promise<PageContent> {
  const { title, filters } = listNamed(name)
  const [{ table, file }, choices] = await Promise.all([
    readTable(page, name, { limit: PAGE_SIZE, sort: page.query.sort ?? '' }),
    page.queries.choices(name),
  ])
  return {
    title,
    current: `/${name}`,
    tables: [file],
    body: (
      <>
        <div class="listhead">
          <h1>{title}</h1>
          <FilterForm filters={filters} choices={choices} page={page} />
        </div>
        {above}
        {page.query.cursor !== undefined && (
          <p class="small">
            <a href={page.link({ cursor: null })}>First page</a>
          </p>
        )}
        <Table {...table} />
      </>
    ),
  }
}

/**
 * A list as a table of a page, and as a file of all rows that match.
 * @param options.sort by which column it is sorted, or empty; undefined: a reader cannot sort it
 * @param options.parameters default: those of the page, if a reader can sort it
 */
export async function readTable(
  page: PageRequest,
  name: ListName,
  {
    limit,
    sort,
    parameters = sort === undefined ? {} : page.query,
  }: { limit: number; sort?: string; parameters?: Record<string, string> },
): Promise<{ table: HtmlTable<unknown>; file: FileTable }> {
  const { columns, filters, about, empty } = listNamed(name)
  const { now, queries, link } = page
  const { rows, next, total } = await queries.list(name, { now, parameters, limit })
  const isFiltered = filters.some((filter) => parameters[filter.name] !== undefined)
  const changes = Object.fromEntries(filters.map((filter) => [filter.name, null]))
  const none = isFiltered ? (
    <>
      Nothing matches. <a href={link({ ...changes, cursor: null })}>Show all</a>
    </>
  ) : (
    <WithCommands text={empty} />
  )
  return {
    table: {
      name,
      caption: about,
      columns,
      rows,
      empty: none,
      sort,
      link,
      next: sort === undefined ? null : next,
      total,
    },
    file: fileTable({
      ...{ name, columns },
      rows: async () => (await queries.list(name, { now, parameters: { ...parameters, cursor: '' } })).rows,
    }),
  }
}

interface FilterFormProps {
  filters: readonly Filter[]
  /** What can be chosen, by the names of filters. */
  choices: Readonly<Record<string, readonly string[]>>
  page: PageRequest
}

/** The filters of a list, kept in the address. */
function FilterForm({ filters, choices, page: { query } }: FilterFormProps) {
  const shown = filters.filter(({ name, kind }) => kind !== 'channel' || (choices[name]?.length ?? 0) > 1)
  if (shown.length === 0) return null
  return (
    <form class="filters noprint" method="get">
      {shown.map((filter) => (
        <div key={filter.name} class="field" title={filter.describe}>
          <label for={`filter-${filter.name}`}>{filter.header}</label>
          <FilterField filter={filter} choices={choices[filter.name] ?? []} value={query[filter.name] ?? ''} />
        </div>
      ))}
      {query.sort !== undefined && <input type="hidden" name="sort" value={query.sort} />}
      <button type="submit">Apply</button>
    </form>
  )
}

function FilterField({
  filter: { name, kind },
  choices,
  value,
}: {
  filter: Filter
  choices: readonly string[]
  value: string
}) {
  const id = `filter-${name}`
  const example = EXAMPLES[kind]
  if (choices.length === 0)
    return <input id={id} type="search" name={name} value={value} {...(example && { placeholder: example })} />
  return (
    <select id={id} name={name}>
      <option value="">all</option>
      {choices.map((choice) => (
        <option key={choice} value={choice} selected={choice === value}>
          {kind === 'flag' ? (choice === 'true' ? 'yes' : 'no') : choice}
        </option>
      ))}
    </select>
  )
}

const EXAMPLES: Partial<Record<Filter['kind'], string>> = { since: 'yesterday', before: 'in 7 days', rfq: 'number' }
