/** Paths of pages about a channel, an RFQ or a report. */

/** A colon may stand in a path, and is easier to read: `id:0192f3…`. */
const segment = (text: string) => encodeURIComponent(text).replaceAll('%3A', ':')
const encoded = (path: string) => path.split('/').map(segment).join('/')

/** `/rfqs/acme/forest/1042`. @param name that leads to one RFQ only: of a row of `RfqList`, or `nameById` */
export const rfqPath = (channel: string, name: string): string => `/rfqs/${encoded(channel)}/${segment(name)}`

/** `/rfqs/acme/forest/1042/closing`. */
export const closingPath = (channel: string, name: string): string => `${rfqPath(channel, name)}/closing`

/** `/rfqs/acme/forest/1042/award`. */
export const awardPath = (channel: string, name: string): string => `${rfqPath(channel, name)}/award`

/** `/closings?channel=acme%2Fforest`. */
export const closingsPath = (channel: string): string => `/closings?channel=${encodeURIComponent(channel)}`

/** A table of the page System. */
export const systemPath = (table: 'channels' | 'runs' | 'targets' | 'problems'): string => `/system#${table}`

/** `/reports/acme_forest/rfq-1042.xlsx`. @param name below the folder of reports */
export const reportPath = (name: string): string => `/reports/${encoded(name)}`
