/** Paths of the pages about a channel or an RFQ. */

const channelPart = (channel: string) => channel.split('/').map(encodeURIComponent).join('/')

/** `/channels/acme/forest`. */
export const channelPath = (channel: string): string => `/channels/${channelPart(channel)}`

/** `/rfqs/acme/forest/1042`. @param name the number of the RFQ, or its id */
export const rfqPath = (channel: string, name: string): string =>
  `/rfqs/${channelPart(channel)}/${encodeURIComponent(name)}`

/** `/rfqs/acme/forest/1042/closing`. */
export const closingPath = (channel: string, name: string): string => `${rfqPath(channel, name)}/closing`

/** `/problems?channel=acme%2Fforest`, and other lists of one channel. */
export const listPath = (list: 'problems' | 'runs' | 'decisions' | 'changes', channel: string): string =>
  `/${list}?channel=${encodeURIComponent(channel)}`
