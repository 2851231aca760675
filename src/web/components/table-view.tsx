import type { CellValue, Column, Sorting, Table } from '../tables/table.js'
import { plain, UNKNOWN } from './format.js'

/** Longer tables scroll within the window, so that their header stays in view. */
const TALL_ROWS = 30

interface TableViewProps<Row> {
  table: Table<Row>
  /** Null: as `rows` are. Left out: a reader cannot sort the table. */
  sorting?: Sorting | null | undefined
  /** The address of the page with other parameters. */
  link: (changes: Record<string, string | null>) => string
  /** Pages of the table, if it has several. */
  pages?: { page: number; of: number; total: number }
}

/** A table with links to sort and download it. On narrow screens, rows become cards. */
export function TableView<Row>({ table, sorting, link, pages }: TableViewProps<Row>) {
  const { rows, caption, name, empty, narrow } = table
  if (rows.length === 0)
    return (
      <div class="notice empty" id={name}>
        {empty}
      </div>
    )
  const { columns, shared } = splitShared(table)
  const download = (format: string) => link({ format, table: name })
  return (
    <div class="table" id={name}>
      <section
        class={rows.length > TALL_ROWS ? 'scroll tall' : 'scroll'}
        aria-label={rows.length > TALL_ROWS ? caption : undefined}
        tabindex={rows.length > TALL_ROWS ? 0 : undefined}
      >
        <table class={narrow === 'lines' ? 'cards lines' : 'cards'}>
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <HeaderCell key={column.key} column={column} sorting={sorting} link={link} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr class={table.isEmphasized?.(row) ? 'chosen' : undefined}>
                {columns.map((column) => {
                  const { key, title, cell, value, whole } = column
                  const text = textOf(value(row))
                  const content = cell ? cell(row) : text
                  // A card lays out its parts; a text by itself needs nothing around it.
                  const isBare = typeof content === 'string' && narrow !== 'lines' && column.width === undefined
                  return (
                    <td
                      key={key}
                      class={classOf(column, content === UNKNOWN)}
                      data-label={narrow === 'lines' ? undefined : title}
                      title={column.width === 'clip' ? (whole?.(row) ?? text) : undefined}
                    >
                      {isBare ? content : <div>{content}</div>}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shared.length > 0 && <p class="muted small">{`${shared.join('. ')}.`}</p>}
      <div class="under noprint">
        {pages && pages.of > 1 ? <Pages pages={pages} link={link} /> : <span />}
        <span>
          <a href={download('csv')} aria-label={`Download ${caption} as CSV`}>
            CSV
          </a>{' '}
          <a href={download('json')} aria-label={`Download ${caption} as JSON`}>
            JSON
          </a>
        </span>
      </div>
    </div>
  )
}

/** The columns to show, and what to say in place of those that all rows share. */
function splitShared<Row>({ rows, columns }: Table<Row>): { columns: Column<Row>[]; shared: string[] } {
  const textOf = ({ shared }: Column<Row>): string | null => {
    const [first = null, ...others] = rows.map((row) => shared?.(row) ?? null)
    return others.length > 0 && others.every((text) => text === first) ? first : null
  }
  const onPage = columns.filter(({ fileOnly }) => !fileOnly).map((column) => ({ column, text: textOf(column) }))
  return {
    columns: onPage.flatMap(({ column, text }) => (text === null ? column : [])),
    shared: onPage.flatMap(({ text }) => (text === null ? [] : capitalize(text))),
  }
}

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function HeaderCell<Row>({
  column: { width: _width, ...column },
  sorting,
  link,
}: { column: Table<Row>['columns'][number] } & Pick<TableViewProps<Row>, 'sorting' | 'link'>) {
  const { key, title, hint, sortable = true } = column
  const sorted = sorting?.key === key ? sorting : null
  const next = sorted && !sorted.descending ? `-${key}` : key
  return (
    <th
      scope="col"
      class={classOf(column, false)}
      title={hint}
      aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : undefined}
    >
      {sortable && sorting !== undefined ? <a href={link({ sort: next, page: null })}>{title}</a> : title}
    </th>
  )
}

function Pages({
  pages: { page, of, total },
  link,
}: {
  pages: NonNullable<TableViewProps<never>['pages']>
  link: TableViewProps<never>['link']
}) {
  return (
    <nav class="pages" aria-label="Pages of the table">
      {page > 1 && (
        <a href={link({ page: page === 2 ? null : String(page - 1) })} rel="prev">
          Previous
        </a>
      )}
      <span>{`Page ${page} of ${of}, ${total.toLocaleString('en-US')} rows`}</span>
      {page < of && (
        <a href={link({ page: String(page + 1) })} rel="next">
          Next
        </a>
      )}
    </nav>
  )
}

/** On narrow screens, what is unknown is left out. */
const classOf = (
  { align, width, isSecondary }: Pick<Column<never>, 'align' | 'width' | 'isSecondary'>,
  isUnknown: boolean,
) =>
  [align === 'right' ? 'r' : '', width ?? '', isSecondary ? 'nophone' : '', isUnknown ? 'unknown' : '']
    .filter(Boolean)
    .join(' ') || undefined

const textOf = (value: CellValue) => plain(value === null ? null : String(value))
