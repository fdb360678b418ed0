/** A query of the parameters that have a value, with its question mark; '' when none has. */
export const queryOf = (query: Record<string, string | undefined>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

/** Links for visitors without a session. Their first load has only these; `paths` includes them, too. */
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

/** A path of this application that can be opened after login, or undefined: never another origin, never /auth. */
export const safeReturn = (path: string | null | undefined): string | undefined => {
  if (path === null || path === undefined || !/^\/(?![/\\])/.test(path) || /[\\\p{Cc}]/u.test(path)) return undefined
  return path === '/' || path === '/auth' || path.startsWith('/auth/') ? undefined : path
}
