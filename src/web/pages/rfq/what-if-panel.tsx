import { offersText } from '../../../compare/awards/award-figures.js'
import { PRICED_BY } from '../../../compare/decision/setting-text.js'
import { PRICE_BASES, REQUIREMENT_LEVELS, SETTING_LIMITS } from '../../../core/decision/settings.js'
import { formatCount } from '../../../core/text/number-format.js'
import { type Column, column, money } from '../../../tables/column.js'
import { Table } from '../../../tables/print/html.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { awardOf, movesOf, settingTitle } from '../../../tables/rfq/what-if.js'
import type { WhatIf } from '../../../tables/settings.js'
import { plain } from '../../components/format.js'
import type { PageRequest } from '../page.js'

interface WhatIfPanelProps {
  page: PageRequest
  view: RfqView
  /** The settings of the address. */
  whatIf: WhatIf
  /** The comparison with the configured settings; null if they are shown. */
  before: RfqView | null
}

/** Other settings: what they change, and a form whose values are the address. */
export function WhatIfPanel({ page: { query, link }, view, whatIf, before }: WhatIfPanelProps) {
  const reset = Object.fromEntries(Object.keys(whatIf.changes).map((name) => [name, null]))
  const fields = fieldsOf(view, whatIf)
  const kept = Object.entries(query).filter(([name]) => fields.every((field) => field.name !== name))
  return (
    <details class="panel whatif" open={before !== null}>
      <summary>
        <h2 id="what-if">What if</h2>{' '}
        <span class="muted">
          {before === null
            ? 'without some offers, another tolerance, volume or requirements'
            : `${formatCount(Object.keys(whatIf.changes).length, 'setting')} changed`}
        </span>
      </summary>
      {before !== null && <Change changes={whatIf.changes} before={before} after={view} link={link} />}
      <form method="get" action="#what-if" aria-labelledby="what-if">
        {kept.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <fieldset>
          {fields.map((field) => (
            <SettingField key={field.name} {...field} />
          ))}
        </fieldset>
        <div class="actions">
          <button type="submit" class="primary">
            Compare
          </button>
          {before !== null && (
            <a class="button" href={link(reset)}>
              Back to the configured settings
            </a>
          )}
        </div>
      </form>
    </details>
  )
}

/** Offers whose rank or award changes; more are counted. */
const MAX_MOVES = 10

interface Outcome {
  title: string
  view: RfqView
  award: ReturnType<typeof awardOf>
}

const OUTCOME_COLUMNS: readonly Column<Outcome>[] = [
  column('settings', 'Settings', 'text', 9, ({ title }) => title),
  column('award', 'Award', 'text', 9, ({ award, view }) =>
    award === null ? view.decision.recommendation.headline : offersText(award.offers),
  ),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ award }) => award?.tonnes ?? null),
  column('price', 'Price', 'price', 9, ({ award }) => money(award?.pricePerTonne, award?.currency)),
  column('total', 'Total', 'money', 8, ({ award }) => money(award?.total, award?.currency)),
]

/** The award with the configured settings, and with the changed ones, as a table. */
export const outcomes = (before: RfqView, after: RfqView) => ({
  name: 'outcomes',
  columns: OUTCOME_COLUMNS,
  rows: [
    { title: 'configured', view: before, award: awardOf(before) },
    { title: 'changed', view: after, award: awardOf(after) },
  ],
})

/** What the settings change. */
function Change({ changes, before, after, link }: ChangeProps) {
  const settings = Object.entries(changes).map(([name, value]) => `${settingTitle(name)}: ${value || 'none'}`)
  const moves = movesOf(before, after)
  const table = outcomes(before, after)
  const caption = 'The award with the configured settings, and with the changed ones'
  return (
    <>
      <p>{plain(settings.join('; '))}.</p>
      <Table {...table} caption={caption} empty="" link={link} />
      <ul class="reasons">
        {moves.slice(0, MAX_MOVES).map(({ number, label, message: move }) => (
          <li key={number}>{`${number}. ${plain(label)}: ${plain(move)}`}</li>
        ))}
        {moves.length > MAX_MOVES && (
          <li class="muted">{`and ${formatCount(moves.length - MAX_MOVES, 'more offer')}`}</li>
        )}
      </ul>
    </>
  )
}

interface ChangeProps {
  changes: WhatIf['changes']
  before: RfqView
  after: RfqView
  link: PageRequest['link']
}

interface Field {
  name: string
  value: string | number | null
  title?: string
  note?: string
  /** The values to choose from, with their names. */
  options?: readonly (readonly [value: string, title: string])[]
  /** Of a number. */
  limits?: readonly [min: number, max: number]
}

/** The settings that a reader may change. */
function fieldsOf({ currency, rfq, decision }: RfqView, { settings, changes }: WhatIf): Field[] {
  // Without a comparison currency, no rate is used.
  const rates = settings.currency === null ? [] : currency.rates
  return [
    { name: 'without', value: settings.without, note: 'numbers, such as 2 or 2,5' },
    {
      name: 'awardTolerance',
      value: settings.awardTolerance,
      note: 'above the lowest price; 0.02 is 2 %, or unlimited',
    },
    { name: 'volume', value: settings.volume, limits: SETTING_LIMITS.volume, note: rfq.window.message },
    { name: 'priceBasis', value: settings.priceBasis, options: PRICE_BASES.map((basis) => [basis, PRICED_BY[basis]]) },
    {
      name: 'discountRate',
      value: settings.discountRate,
      limits: SETTING_LIMITS.discountRate,
      note: '0.08 is 8 % a year',
    },
    ...rates.map(({ currency: code, message }) => {
      const name = `exchangeRates.${code}`
      const title = `1 ${plain(code)} in ${plain(currency.comparison)}`
      return {
        name,
        title,
        value: changes[name] ?? null,
        limits: SETTING_LIMITS.rate,
        note: `${message} Empty: that rate.`,
      }
    }),
    ...decision.requirements.map(({ setting, title, level, offersNotMeeting }) => ({
      ...{ name: setting, title, value: level },
      ...(offersNotMeeting > 0 && { note: `${offersNotMeeting} not meeting` }),
      options: REQUIREMENT_LEVELS.map((each) => [each, each] as const),
    })),
  ]
}

const SettingField = ({ name, value, title = settingTitle(name), note, options, limits }: Field) => (
  <label class="field" for={name}>
    <span>
      {title} {note !== undefined && <span class="muted small">{plain(note)}</span>}
    </span>
    {options !== undefined ? (
      <select id={name} name={name}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {text}
          </option>
        ))}
      </select>
    ) : limits !== undefined ? (
      <input id={name} name={name} type="number" min={limits[0]} max={limits[1]} step="any" value={value ?? ''} />
    ) : (
      <input id={name} name={name} value={value ?? ''} />
    )}
  </label>
)
