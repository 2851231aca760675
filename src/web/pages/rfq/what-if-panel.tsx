import { CRITERION_NAMES } from '../../../compare/offer/criterion-text.js'
import {
  AWARD_RULES,
  type AwardRule,
  CRITERIA,
  PRICE_BASES,
  type PriceBasis,
  REQUIREMENT_LEVELS,
  SETTING_LIMITS,
} from '../../../core/decision/settings.js'
import type { RfqView } from '../../../views/rfq/rfq-view.js'
import { isSettingName, type WhatIf } from '../../../views/settings.js'
import { plain } from '../../components/format.js'

const RULES: Record<AwardRule, string> = {
  'lowest-price': 'lowest price',
  'lowest-cost': 'lowest cost',
  'best-score': 'best score',
}

const BASES: Record<PriceBasis, string> = {
  quoted: 'quoted prices',
  'present-value': 'present values',
  'risk-adjusted': 'risk-adjusted prices',
}

interface WhatIfPanelProps {
  view: RfqView
  whatIf: WhatIf
  query: Readonly<Record<string, string>>
  /** The same page with the settings of the configuration. */
  reset: string
}

/** Another rule, volume, weights and requirements: a form whose values are the address. */
export function WhatIfPanel({ view, whatIf: { settings, changes }, query, reset }: WhatIfPanelProps) {
  const changed = Object.keys(changes).length
  return (
    <details class="card whatif" open={changed > 0}>
      <summary>
        <h2 id="what-if">What if</h2>{' '}
        <span class="muted">
          {changed === 0 ? 'another rule, volume, weights or requirements' : `${changed} of the settings changed`}
        </span>
      </summary>
      <form method="get" action="#recommendation" aria-labelledby="what-if">
        {Object.entries(query)
          .filter(([name]) => !isSettingName(name))
          .map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
        <div class="groups">
          <fieldset>
            <legend>Award</legend>
            <Choice
              name="awardRule"
              title="Rule"
              value={settings.awardRule}
              options={AWARD_RULES.map((rule) => [rule, RULES[rule]])}
            />
            <Choice
              name="priceBasis"
              title="Compare by"
              value={settings.priceBasis}
              options={PRICE_BASES.map((basis) => [basis, BASES[basis]])}
            />
            <NumberField
              name="volume"
              title="At least, t"
              value={settings.volume}
              max={SETTING_LIMITS.volume[1]}
              optional
              note={view.rfq.window.message}
            />
            <NumberField name="discountRate" title="Discount rate a year" value={settings.discountRate} max={1} />
          </fieldset>
          <fieldset class="weights">
            <legend>Weights of the score</legend>
            {CRITERIA.map((name) => (
              <NumberField
                key={name}
                name={`weights.${name}`}
                title={CRITERION_NAMES[name]}
                value={settings.weights[name]}
                max={SETTING_LIMITS.weight[1]}
              />
            ))}
          </fieldset>
          <fieldset class="wide">
            <legend>Requirements</legend>
            {view.decision.requirements.map(({ name, title, level, offersNotMeeting }) => (
              <Choice
                key={name}
                name={`requirements.${name}`}
                title={title}
                note={offersNotMeeting > 0 ? `${offersNotMeeting} not meeting` : null}
                value={level}
                options={REQUIREMENT_LEVELS.map((one) => [one, one])}
              />
            ))}
          </fieldset>
        </div>
        <p>
          <button type="submit" class="primary">
            Compare again
          </button>{' '}
          {changed > 0 && <a href={reset}>Back to the configured settings</a>}
        </p>
      </form>
    </details>
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
  <div class="field">
    <label for={name}>
      {title}
      {note !== null && <span class="muted small"> {note}</span>}
    </label>
    <select id={name} name={name}>
      {options.map(([one, message]) => (
        <option key={one} value={one} selected={one === value}>
          {message}
        </option>
      ))}
    </select>
  </div>
)

interface NumberFieldProps {
  name: string
  title: string
  note?: string
  value: number | null
  max: number
  /** May be empty. */
  optional?: boolean
}

const NumberField = ({ name, title, note, value, max, optional = false }: NumberFieldProps) => (
  <div class="field">
    <label for={name}>
      {title}
      {note !== undefined && (
        <>
          <br />
          <span class="muted small">{plain(note)}</span>
        </>
      )}
    </label>
    <input id={name} name={name} type="number" min="0" max={max} step="any" value={value ?? ''} required={!optional} />
  </div>
)
