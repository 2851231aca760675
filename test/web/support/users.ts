import type { ServerOptions } from '../../../src/web/server.js'

/** A viewer and an operator. */
export const TOKENS: ServerOptions['tokens'] = [
  { name: 'ana', role: 'viewer', token: 'token of ana' },
  { name: 'omar', role: 'operator', token: 'token of omar' },
]

/** The header by which one of these users enters. */
export const as = (name: string) => ({ authorization: `Bearer token of ${name}` })
