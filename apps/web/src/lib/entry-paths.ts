/** Returns the parameters that have a value as a query with its question mark; '' if none has a value. */
export const queryOf = (query: Record<string, string | undefined>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** Paths for visitors without a session. Their first load contains only these; `paths` includes them, too. */
export const entryPaths = {
  root: () => '/',
  /** `method: 'otp'` starts with a one-time code instead of the password; `email` fills in the address. */
  login: (query: { method?: 'otp'; email?: string } = {}) => `/auth/login${queryOf(query)}`,
  register: (query: { email?: string } = {}) => `/auth/register${queryOf(query)}`,
  completeRegistration: () => '/auth/complete-registration',
  forgotPassword: (query: { email?: string } = {}) => `/auth/forgot-password${queryOf(query)}`,
  /** The page to which the third-party sign-in returns. */
  oauthCallback: () => '/auth/oauth-callback',
  logout: () => '/auth/logout',
} as const

/**
 * Returns a path of this application that may be opened after login. Returns undefined for another origin and for paths
 * below /auth.
 */
export const safeReturn = (path: string | null | undefined): string | undefined => {
  if (path === null || path === undefined || !/^\/(?![/\\])/.test(path) || /[\\\p{Cc}]/u.test(path)) return undefined
  return path === '/' || path === '/auth' || path.startsWith('/auth/') ? undefined : path
}
