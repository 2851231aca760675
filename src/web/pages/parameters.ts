import { didYouMean } from '../../core/text/suggest.js'
import { isSettingName, KNOWN_SETTINGS } from '../../tables/settings.js'
import { HttpError } from '../http/errors.js'

/** The parameters after the `?` that a page accepts, besides those that choose one of its tables as a file. */
export interface AcceptedParameters {
  names?: readonly string[]
  /** Whether it accepts the settings of a comparison too, such as `requirements.priceMax`. */
  acceptsSettings?: boolean
}

const FILE_PARAMETERS = ['format', 'table']

/**
 * Rejects unknown and repeated parameters, which would otherwise be ignored, as the HTTP API does.
 * @throws HttpError 400 with every unknown parameter, and those given more than once
 */
export function checkParameters(query: unknown, { names = [], acceptsSettings = false }: AcceptedParameters): void {
  const known = [...names, ...FILE_PARAMETERS, ...(acceptsSettings ? KNOWN_SETTINGS : [])]
  const problems = Object.entries(Object(query) as Record<string, string | string[]>).flatMap(([name, value]) => {
    const isSetting = acceptsSettings && isSettingName(name)
    if (!isSetting && !known.includes(name))
      return `${name.slice(0, 60)}: unknown parameter; ${didYouMean(name.slice(0, 60), known)}known: ${known.join(', ')}`
    // The form of settings sends a check box after a hidden field of the same name.
    return isSetting || typeof value === 'string' ? [] : `${name}: given more than once`
  })
  if (problems.length > 0) throw new HttpError(400, problems.slice(0, 5).join('; '))
}
