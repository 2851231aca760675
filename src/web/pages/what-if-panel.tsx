import { CRITERION_NAMES } from '../../compare/offer/criterion-text.js'
import { CRITERIA } from '../../core/settings.js'
import type { RfqPageModel } from '../../read-models/rfq-page-model.js'
import { amount } from '../views/format.js'
import { AWARD_RULES, isSettingName, REQUIREMENT_LEVELS, WANTED_BASES, type WhatIf } from '../what-if.js'

const RULES: Record<(typeof AWARD_RULES)[number], string> = {
  'cheapest-compliant': 'cheapest compliant',
  'best-score-compliant': 'best score, compliant',
  'cheapest-regardless': 'cheapest, regardless of requirements',
}

interface WhatIfPanelProps {
  model: RfqPageModel
  whatIf: WhatIf
  query: Readonly<Record<string, string>>
  /** The same page with the settings of the configuration. */
  reset: string
}

/** Other weights, volumes and requirements: a form whose values are the address. */
export function WhatIfPanel({ model, whatIf: { settings, changes }, query, reset }: WhatIfPanelProps) {
  const changed = Object.keys(changes).length
  const { wanted } = model.rfq
  return (
    <details class="card whatif" open={changed > 0}>
      <summary>
        <h2 id="what-if">What if</h2>{' '}
        <span class="muted">
          {changed === 0 ? 'other weights, volumes or requirements' : `${changed} of the settings changed`}
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
              name="wantedVolume"
              title="Wanted volume"
              value={settings.wantedVolume}
              options={WANTED_BASES.map((basis) => [basis, `${basis} (${amount(wanted[basis])} t)`])}
            />
            <NumberField
              name="discountRate"
              title="Discount rate a year"
              value={settings.discountRate}
              max={1}
              step={0.005}
            />
          </fieldset>
          <fieldset class="weights">
            <legend>Weights of the score</legend>
            {CRITERIA.map((name) => (
              <NumberField
                key={name}
                name={`weights.${name}`}
                title={CRITERION_NAMES[name]}
                value={settings.weights[name]}
                max={1000}
                step={1}
              />
            ))}
          </fieldset>
          <fieldset class="wide">
            <legend>Requirements</legend>
            {model.requirements.map(({ name, title, level, offersNotMeeting }) => (
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
      {options.map(([one, words]) => (
        <option key={one} value={one} selected={one === value}>
          {words}
        </option>
      ))}
    </select>
  </div>
)

const NumberField = (field: { name: string; title: string; value: number; max: number; step: number }) => (
  <div class="field">
    <label for={field.name}>{field.title}</label>
    <input
      id={field.name}
      name={field.name}
      type="number"
      min="0"
      max={field.max}
      step="any"
      value={field.value}
      required
    />
  </div>
)
