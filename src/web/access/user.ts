/** `viewer` reads; `operator` may also make reports and change things. */
export type Role = 'viewer' | 'operator'

/** Who sent a request. */
export interface User {
  name: string
  role: Role
}

/** Who may use a route. `public`: everyone who can reach the server. */
export type RouteAccess = 'public' | Role

/** Whether a user may use a route. Null: an unknown user. */
export const mayUse = (user: User | null, access: RouteAccess): boolean =>
  access === 'public' || (user !== null && (access === 'viewer' || user.role === 'operator'))
