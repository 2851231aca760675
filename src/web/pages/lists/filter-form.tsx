import type { Parameters } from '../page.js'

export interface FilterFormProps {
  query: Parameters
  /** Parameters with a fixed choice of values. */
  choices: readonly {
    name: string
    title: string
    values: readonly (string | readonly [value: string, title: string])[]
  }[]
  /** Parameter for free text. */
  search?: { name: string; title: string; hint?: string }
  /** Parameter for a moment, in any form that `parseMoment` reads. */
  moment?: { name: string; title: string; suggestions: readonly string[] }
}

/** Filters of a list, kept in the address. */
export function FilterForm({ query, choices, search, moment }: FilterFormProps) {
  const shown = choices.filter(({ values }) => values.length > 1)
  if (shown.length === 0 && search === undefined && moment === undefined) return null
  return (
    <form class="filters noprint" method="get">
      {search && (
        <div class="field">
          <label for={`filter-${search.name}`}>{search.title}</label>
          <input
            id={`filter-${search.name}`}
            type="search"
            name={search.name}
            value={query[search.name] ?? ''}
            placeholder={search.hint}
          />
        </div>
      )}
      {shown.map(({ name, title, values }) => (
        <div class="field" key={name}>
          <label for={`filter-${name}`}>{title}</label>
          <select id={`filter-${name}`} name={name}>
            <option value="">all</option>
            {values.map((one) => {
              const [value, message] = typeof one === 'string' ? [one, one] : one
              return (
                <option key={value} value={value} selected={query[name] === value}>
                  {message}
                </option>
              )
            })}
          </select>
        </div>
      ))}
      {moment && (
        <div class="field">
          <label for={`filter-${moment.name}`}>{moment.title}</label>
          <input
            id={`filter-${moment.name}`}
            name={moment.name}
            list={`filter-${moment.name}-values`}
            value={query[moment.name] ?? ''}
            placeholder="2026-01-31 14:00"
            autocomplete="off"
          />
          <datalist id={`filter-${moment.name}-values`}>
            {moment.suggestions.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </div>
      )}
      {query.sort !== undefined && <input type="hidden" name="sort" value={query.sort} />}
      <button type="submit">Apply</button>
    </form>
  )
}
