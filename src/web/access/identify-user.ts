import { bearerToken, equalInConstantTime } from './bearer-token.js'
import type { User } from './user.js'

const LOCAL: User = { name: 'local', role: 'operator' }
const TOKEN_HOLDER: User = { name: 'operator', role: 'operator' }

/** The user of a request: whoever can reach a server without a token, else the holder of the token, else null. */
export function identifyUser(authorization: string | undefined, token: string | null): User | null {
  if (token === null) return LOCAL
  const sent = bearerToken(authorization)
  return sent !== null && equalInConstantTime(sent, token) ? TOKEN_HOLDER : null
}
