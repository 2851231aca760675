import type { Parameters } from '../page.js'

/** The channel and the name of an RFQ in a path. */
export const addressOf = ({ org = '', channel = '', name = '' }: Parameters) => ({ channel: `${org}/${channel}`, name })
