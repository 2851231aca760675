import { EXAMPLE_CONFIG } from '../../config/example.js'
import type { InitValues } from './init-values.js'

/** The example configuration with the values that the user gave. */
export function configText({ baseUrl, channels, currency, ratesFrom }: InitValues): string {
  const [before = '', rest = ''] = EXAMPLE_CONFIG.split(CHANNELS)
  const withCurrency = currency === null ? rest : rest.replace(/^( {2}currency: )null/m, (_, key) => key + currency)
  const after =
    ratesFrom === null ? withCurrency : withCurrency.replace(/^( {2}exchangeRates: ){}/m, (_, key) => key + ratesFrom)
  return `${before.replace(/^baseUrl: .*$/m, () => `baseUrl: ${yamlText(baseUrl)}`)}channels:
${channels.map(channelText).join('')}${after}`
}

/** The channels of the example. */
const CHANNELS = /^channels:\n(?: .*\n)+/m

const channelText = ({
  org,
  channel,
  autoClose,
  timeZone,
}: InitValues['channels'][number]) => `  - org: ${yamlText(org)}
    channel: ${yamlText(channel)}
    apiKey: { env: ${keyVariable(org)} } # or { file: /run/secrets/name }
    # on: close RFQs that are past due; dry-run: only record which would be closed; off: never close.
    autoClose: ${autoClose}
    # Time zone in which due dates are interpreted. An RFQ that is due today is not past due.
    timeZone: ${timeZone}
    # Hours to wait after the end of the due date before closing.
    graceHours: 0
`

/** Quotes what YAML would read as something else than this text. */
const yamlText = (text: string): string =>
  /^[A-Za-z][\w./:-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text)

/** `ACME_API_KEY`: the environment variable of an organization's key. */
export const keyVariable = (org: string): string =>
  `${org
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_')}_API_KEY`

/** The lines of `.env`; of organizations without a key, the value is empty. */
export function envText({ channels, keys }: InitValues): string {
  const orgs = [...new Set(channels.map(({ org }) => org))]
  const lines = orgs.map((org) => `# API key of ${org}.\n${keyVariable(org)}=${envValue(keys[org] ?? '')}\n`)
  return `# API keys for quotekeeper.yaml. Keep this file private.\n\n${lines.join('\n')}`
}

const envValue = (text: string) => (/^[\w.+/=-]*$/.test(text) ? text : text.includes("'") ? `"${text}"` : `'${text}'`)
