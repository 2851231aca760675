import { PRICED_BY } from '../../../compare/decision/setting-text.js'
import { PRICE_BASES, REQUIREMENT_LEVELS, SETTING_LIMITS } from '../../../core/decision/settings.js'
import { formatCount } from '../../../core/text/number-format.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { settingTitle } from '../../../tables/rfq/setting-changes.js'
import type { WhatIfChange, WhatIfOutcome, WhatIfView } from '../../../tables/rfq/what-if.js'
import type { WhatIf } from '../../../tables/settings.js'
import { amount, percent, plain, price, total, UNKNOWN } from '../../components/format.js'
import type { PageRequest } from '../page.js'

interface WhatIfPanelProps {
  page: PageRequest
  view: RfqView
  /** The settings of the address. */
  whatIf: WhatIf
  /** What they change. */
  compared: WhatIfView
}

/** Other settings: what they change, and a form whose values are the address. */
export function WhatIfPanel({ page, view, whatIf, compared: { change } }: WhatIfPanelProps) {
  const { query, link } = page
  return (
    <details class="panel whatif" open={change !== null}>
      <summary>
        <h2 id="what-if">What if</h2> <PanelState change={change} />
      </summary>
      {change !== null && <BeforeAfter change={change} />}
      <h3>{change === null ? 'Other settings' : 'Settings'}</h3>
      <SettingsForm view={view} whatIf={whatIf} query={query} reset={change === null ? null : link(without(whatIf))} />
    </details>
  )
}

const without = ({ changes }: WhatIf) => Object.fromEntries(Object.keys(changes).map((name) => [name, null]))

/** What the folded panel says. */
function PanelState({ change }: { change: WhatIfChange | null }) {
  return (
    <span class="muted">
      {change === null
        ? 'without some offers, another tolerance, volume or requirements'
        : `${formatCount(change.settings.length, 'setting')} changed`}
    </span>
  )
}

/** More offers are counted. */
const MAX_MOVES = 20
/** So few are shown without opening them. */
const FEW_MOVES = 5

/** The award with the settings in force, and with the changed ones, side by side. */
function BeforeAfter({ change: { settings, before, after, message, moves } }: { change: WhatIfChange }) {
  const more = moves.length - MAX_MOVES
  const rows: [title: string, of: (outcome: WhatIfOutcome) => string][] = [
    ['Award', awardText],
    ['Price', ({ award }) => priceOf(award)],
    ['Tonnes', ({ award }) => tonnesOf(award)],
    ['Total', ({ award }) => (award === null ? UNKNOWN : `${total(award.total)} ${plain(award.currency)}`)],
    ['Coverage', ({ award }) => percent(award?.coverage ?? null)],
  ]
  const isShown = ([title, of]: (typeof rows)[number]) => title !== 'Coverage' || of(before) !== of(after)
  return (
    <>
      <p>
        <strong>{plain(message)}</strong>
      </p>
      <ul class="reasons">
        {settings.map((each) => (
          <li key={each.setting}>{plain(each.message)}</li>
        ))}
      </ul>
      <div class="scroll">
        <table class="cards beforeafter">
          <caption class="visually-hidden">The award with the settings in force, and with the changed ones</caption>
          <thead>
            <tr>
              <td />
              <th scope="col">In force</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.filter(isShown).map(([title, of]) => (
              <tr key={title}>
                <th scope="row" class="line">
                  {title}
                </th>
                <td data-label="In force">{of(before)}</td>
                <td data-label="Changed">{of(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {moves.length > 0 && (
        <details class="group" open={moves.length <= FEW_MOVES}>
          <summary>{`${formatCount(moves.length, 'offer changes', 'offers change')} rank or award`}</summary>
          <ul class="reasons">
            {moves.slice(0, MAX_MOVES).map(({ offerId, number, name, message: move }) => (
              <li key={offerId}>{`${number}. ${plain(name)}: ${plain(move)}`}</li>
            ))}
            {more > 0 && <li class="muted">{`and ${formatCount(more, 'more offer')}`}</li>}
          </ul>
        </details>
      )}
    </>
  )
}

/** The award, or why there is none. */
const awardText = ({ award, headline }: WhatIfOutcome) => plain(award?.name ?? headline)
const priceOf = (award: WhatIfOutcome['award']) =>
  award === null ? UNKNOWN : `${price(award.pricePerTonne)} ${plain(award.currency)}/t`
const tonnesOf = (award: WhatIfOutcome['award']) => (award === null ? UNKNOWN : `${amount(award.tonnes)} t`)

interface SettingsFormProps {
  view: RfqView
  whatIf: WhatIf
  query: PageRequest['query']
  /** The same page with the settings in force; null if they are shown. */
  reset: string | null
}

function SettingsForm({ view, whatIf: { settings, changes }, query, reset }: SettingsFormProps) {
  const { rates, comparison } = view.currency
  // Without a comparison currency, no rate is used.
  const ratesToSet = settings.currency === null ? [] : rates
  const fields = new Set([
    ...['without', 'awardTolerance', 'priceBasis', 'volume', 'discountRate'],
    ...view.decision.requirements.map(({ setting }) => setting),
    ...ratesToSet.map(({ currency }) => `exchangeRates.${currency}`),
  ])
  const others = Object.fromEntries(Object.entries(query).filter(([name]) => !fields.has(name)))
  return (
    <form method="get" action="#what-if" aria-labelledby="what-if">
      {Object.entries(others).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div class="groups">
        <fieldset>
          <legend>Award</legend>
          <label class="field">
            <span>
              {settingTitle('without')}
              <br />
              <span class="muted small">numbers, such as 2 or 2,5</span>
            </span>
            <input name="without" value={settings.without ?? ''} />
          </label>
          <label class="field">
            <span>
              {settingTitle('awardTolerance')}
              <br />
              <span class="muted small">above the lowest price per tonne; 0.02 is 2 %, or unlimited</span>
            </span>
            <input name="awardTolerance" value={settings.awardTolerance} required />
          </label>
          <Choice
            name="priceBasis"
            title={settingTitle('priceBasis')}
            value={settings.priceBasis}
            options={PRICE_BASES.map((basis) => [basis, PRICED_BY[basis]])}
          />
          <NumberField
            name="volume"
            title={settingTitle('volume')}
            value={settings.volume}
            max={SETTING_LIMITS.volume[1]}
            optional
            note={view.rfq.window.message}
          />
          <NumberField
            name="discountRate"
            title={`${settingTitle('discountRate')} a year`}
            value={settings.discountRate}
            max={1}
            note="0.08 is 8 %"
          />
        </fieldset>
        <fieldset class="wide">
          <legend>Requirements</legend>
          {view.decision.requirements.map(({ name, title, setting, level, offersNotMeeting }) => (
            <Choice
              key={name}
              name={setting}
              title={title}
              note={offersNotMeeting > 0 ? `${offersNotMeeting} not meeting` : null}
              value={level}
              options={REQUIREMENT_LEVELS.map((one) => [one, one])}
            />
          ))}
        </fieldset>
        {ratesToSet.length > 0 && (
          <fieldset class="wide">
            <legend>Exchange rates</legend>
            {ratesToSet.map(({ currency, message }) => (
              <NumberField
                key={currency}
                name={`exchangeRates.${currency}`}
                title={`1 ${plain(currency)} in ${plain(comparison)}`}
                value={changes[`exchangeRates.${currency}`] ?? null}
                min={SETTING_LIMITS.rate[0]}
                max={SETTING_LIMITS.rate[1]}
                optional
                note={`${message} Empty: that rate.`}
              />
            ))}
          </fieldset>
        )}
      </div>
      <div class="actions">
        <button type="submit" class="primary">
          Compare
        </button>
        {reset !== null && (
          <a class="button" href={reset}>
            Back to the settings in force
          </a>
        )}
      </div>
    </form>
  )
}

interface ChoiceProps {
  name: string
  title: string
  note?: string | null
  value: string
  options: readonly (readonly [value: string, title: string])[]
}

const Choice = ({ name, title, note = null, value, options }: ChoiceProps) => (
  <label class="field">
    {note === null ? (
      title
    ) : (
      <span>
        {title} <span class="muted small">{note}</span>
      </span>
    )}
    <select name={name}>
      {options.map(([one, message]) => (
        <option key={one} value={one} selected={one === value}>
          {message}
        </option>
      ))}
    </select>
  </label>
)

interface NumberFieldProps {
  name: string
  title: string
  note?: string
  value: number | string | null
  min?: number
  max: number
  /** May be empty. */
  optional?: boolean
}

const NumberField = ({ name, title, note, value, min = 0, max, optional = false }: NumberFieldProps) => (
  <label class="field">
    {note === undefined ? (
      title
    ) : (
      <span>
        {title}
        <br />
        <span class="muted small">{plain(note)}</span>
      </span>
    )}
    <input name={name} type="number" min={min} max={max} step="any" value={value ?? ''} required={!optional} />
  </label>
)
