import { isSettingName, KNOWN_SETTINGS } from '../../tables/settings.js'
import { HttpError, type Suggest } from '../http/errors.js'

/** The parameters after the `?` that a page accepts. */
export interface AcceptedParameters {
  names?: readonly string[]
  /** Whether it accepts the settings of a comparison too, such as `requirements.priceMax`. */
  acceptsSettings?: boolean
}

/** Tables can be sorted, downloaded and shown page by page. */
const TABLE_PARAMETERS = ['sort', 'page', 'format', 'table']

/**
 * Rejects unknown and repeated parameters, which would otherwise be ignored, as the HTTP API does.
 * @throws HttpError 400 with every unknown parameter, and those given more than once
 */
export function checkParameters(
  query: unknown,
  { names = [], acceptsSettings = false }: AcceptedParameters,
  suggest: Suggest,
): void {
  const known = [...names, ...TABLE_PARAMETERS, ...(acceptsSettings ? KNOWN_SETTINGS : [])]
  const given = Object.entries(Object(query) as Record<string, string | string[]>)
  const problems = given.flatMap(([name, value]) => {
    const isSetting = acceptsSettings && isSettingName(name)
    if (!isSetting && !known.includes(name)) return [unknownParameter(name.slice(0, 60), known, suggest)]
    // The form of settings sends a check box after a hidden field of the same name.
    return isSetting || typeof value === 'string' ? [] : [`${name}: given more than once`]
  })
  if (problems.length > 0) throw new HttpError(400, problems.slice(0, 5).join('; '))
}

function unknownParameter(name: string, known: readonly string[], suggest: Suggest): string {
  const [close] = suggest(name, known)
  return `${name}: unknown parameter; ${close === undefined ? '' : `did you mean ${close}? `}known: ${known.join(', ')}`
}
