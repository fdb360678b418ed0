import type { Page } from '@playwright/test'
import { settled } from './prepare.ts'
import type { Screen } from './screens.ts'

const state = '01a200c4-5a42-76e8-8c9f-51a9a184bf65.01a200c4-648f-70af-8201-81819dd6ceaf.secret'

/** Fakes a destination whose grant has this state. */
const withGrant = (grant: Record<string, unknown>) => async (page: Page) => {
  await page.route(
    (url) => /\/api\/workspaces\/[^/]+\/destinations\/[^/]+$/.test(url.pathname),
    async (route) => {
      const response = await route.fetch()
      const shown = { account: '', connect_time: null, error: '', missing: '', ...grant }
      await route.fulfill({ response, json: { ...(await response.json()), grant: shown } })
    },
  )
}

const hourAgo = new Date(Date.now() - 3_600_000).toISOString()

/** The screens of destinations that users connect by OAuth 2, and of the page to which users return. */
export const grantScreens: readonly Screen[] = [
  {
    name: 'grant-none',
    path: ({ filled }) => `/${filled.destination}#settings`,
    prepare: withGrant({ status: 'none', missing: 'the token URL and the client ID' }),
    ready: settled,
  },
  {
    name: 'grant-connected',
    path: ({ filled }) => `/${filled.destination}#settings`,
    prepare: withGrant({ status: 'connected', account: 'ada.lovelace@northwind.example', connect_time: hourAgo }),
    ready: settled,
  },
  {
    name: 'grant-expired',
    path: ({ filled }) => `/${filled.destination}#settings`,
    prepare: withGrant({
      status: 'expired',
      connect_time: hourAgo,
      error: 'The connection was revoked: reconnect',
    }),
    ready: settled,
  },
  {
    name: 'grant-refused',
    path: () => `/destination-oauth-callback?error=access_denied&error_description=The+user+said+no&state=${state}`,
    ready: settled,
  },
]
