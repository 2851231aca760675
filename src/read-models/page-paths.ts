/** Paths of pages about a channel, an RFQ or a report. */

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** `/channels/acme/forest`. */
export const channelPath = (channel: string): string => `/channels/${encoded(channel)}`

/** `/rfqs/acme/forest/1042`. @param name the number of the RFQ, or its id */
export const rfqPath = (channel: string, name: string): string =>
  `/rfqs/${encoded(channel)}/${encodeURIComponent(name)}`

/** `/rfqs/acme/forest/1042/closing`. */
export const closingPath = (channel: string, name: string): string => `${rfqPath(channel, name)}/closing`

/** `/problems?channel=acme%2Fforest`, and other lists of one channel. */
export const listPath = (list: 'problems' | 'runs' | 'decisions' | 'changes', channel: string): string =>
  `/${list}?channel=${encodeURIComponent(channel)}`

/** `/reports/acme_forest/rfq-1042.xlsx`. @param name below the folder of reports */
export const reportPath = (name: string): string => `/reports/${encoded(name)}`
