import type { FastifyInstance } from 'fastify'
import { MAX_SCENARIO_NAME } from '../../../core/decision/scenario.js'
import { MAX_NAME_LENGTH, oneLine } from '../../../core/text/clean-text.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { RfqRef } from '../../../views/find-rfq.js'
import { rfqPath, scenariosPath } from '../../../views/page-paths.js'
import { type ScenarioActions, type ScenarioRefusal, saveScenario } from '../../../views/rfq/save-scenario.js'
import { settingTitle } from '../../../views/rfq/setting-changes.js'
import { isSettingName } from '../../../views/settings.js'
import { Notice, plain } from '../../components/format.js'
import { HttpError } from '../../http/errors.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  type Redirect,
  requireFound,
} from '../page.js'

/** `/rfqs/…/scenarios`: saves and deletes the scenarios of an RFQ, whose page shows them. */
export function addScenarios(app: FastifyInstance, deps: PageDeps, actions: ScenarioActions): void {
  const path = '/rfqs/:org/:channel/:name/scenarios'
  addPage(app, deps, path, async (page) => ({ redirect: panelPath(await readRfq(page), {}) }))
  addForm(app, deps, path, async (page, fields) => {
    const rfq = await readRfq(page)
    const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => name === 'as_of' || isSettingName(name)))
    if (fields.delete !== undefined) {
      const isDeleted = await actions.deleteScenario({ channel: rfq.channel, rfqId: rfq.id }, fields.delete)
      if (!isDeleted) throw new HttpError(404, 'the RFQ has no scenario of this name; it may have been deleted')
      return { redirect: panelPath(rfq, shown) }
    }
    return save(page, { rfq, shown, name: fields.name ?? '', replace: fields.replace === 'yes' }, actions)
  })
}

const readRfq = async ({ path, queries, now }: PageRequest): Promise<RfqRef> =>
  requireFound(await queries.findRfq({ ...addressOf(path), now }))

/** The what-if panel of an RFQ with some settings, and at a moment. */
const panelPath = ({ channel, id }: RfqRef, shown: Parameters) => {
  const query = new URLSearchParams(shown).toString()
  return `${rfqPath(channel, nameById(id))}${query === '' ? '' : `?${query}`}#what-if`
}

interface SaveRequest {
  rfq: RfqRef
  /** The parameters of the page from which the form was sent. */
  shown: Parameters
  name: string
  replace: boolean
}

async function save(
  { request, now, settings: base }: PageRequest,
  { rfq, shown, name, replace }: SaveRequest,
  actions: ScenarioActions,
): Promise<(PageContent & { status: number }) | Redirect> {
  const { as_of: _asOf, ...settings } = shown
  const by = (request.user?.name ?? 'unknown').slice(0, MAX_NAME_LENGTH)
  const order = { channel: rfq.channel, rfqId: rfq.id, name, settings, by, now, replace, base }
  const result = await saveScenario(actions, order)
  if ('saved' in result) return { redirect: panelPath(rfq, shown) }
  const { refused } = result
  return {
    status: refused.code === 'invalid' ? 400 : 409,
    title: `Scenario of RFQ ${rfq.name}`,
    current: '/rfqs',
    live: 'no',
    body: (
      <>
        <h1>{`Scenario of RFQ ${plain(rfq.name)}`}</h1>
        <Notice tone="bad">{`Nothing was saved. ${plain(refused.message)}`}</Notice>
        <ul class="reasons">
          {Object.entries(settings).map(([setting, value]) => (
            <li key={setting}>{`${settingTitle(setting)}: ${plain(value)}`}</li>
          ))}
        </ul>
        <SaveForm {...{ rfq, shown, name, refused }} csrfToken={request.csrfToken} />
        <p>
          <a href={panelPath(rfq, shown)}>Back without saving</a>
        </p>
      </>
    ),
  }
}

interface SaveFormProps extends Pick<SaveRequest, 'rfq' | 'shown'> {
  csrfToken: string
  /** What was typed. */
  name?: string
  /** Why that was not saved. */
  refused?: ScenarioRefusal
}

/** Saves the settings of a page under a name. */
export const SaveForm = ({ rfq, shown, csrfToken, name, refused }: SaveFormProps) => (
  <form method="post" action={scenariosPath(rfq.channel, nameById(rfq.id))} class="filters noprint">
    <HiddenFields of={{ ...shown, _csrf: csrfToken }} />
    <div class="field">
      <label for="scenario-name">Name</label>
      <input
        id="scenario-name"
        name="name"
        value={name === undefined ? '' : oneLine(name)}
        maxlength={MAX_SCENARIO_NAME}
        size={30}
        autocomplete="off"
        required
      />
    </div>
    <button type="submit">Save as scenario</button>
    {refused?.code === 'exists' && (
      <button type="submit" name="replace" value="yes">
        Replace the saved one
      </button>
    )}
  </form>
)

/** Deletes one of the scenarios of an RFQ. */
export const DeleteForm = ({
  rfq,
  shown,
  csrfToken,
  names,
}: Pick<SaveRequest, 'rfq' | 'shown'> & { csrfToken: string; names: readonly string[] }) => (
  <form method="post" action={scenariosPath(rfq.channel, nameById(rfq.id))} class="filters noprint">
    <HiddenFields of={{ ...shown, _csrf: csrfToken }} />
    <div class="field">
      <label for="scenario-delete">Saved scenario</label>
      <select id="scenario-delete" name="delete">
        {names.map((name) => (
          <option key={name} value={name}>
            {plain(name)}
          </option>
        ))}
      </select>
    </div>
    <button type="submit">Delete</button>
  </form>
)

/** What a form repeats of the page that it is on. */
export const HiddenFields = ({ of }: { of: Parameters }) =>
  Object.entries(of).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
