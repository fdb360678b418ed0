import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const filled = (path: (seed: Seed['filled']) => string) => (seed: Seed) => `/${path(seed.filled)}`

/** Enables signals, which are disabled by default in the web application. */
const switchedOn = async (page: Page): Promise<void> => {
  await page.route('**/ofrep/v1/evaluate/flags', (route) =>
    route.fulfill({ json: { flags: [{ key: 'signals', value: true, reason: 'STATIC', variant: 'on' }] } }),
  )
}

const screen = (name: string, path: Screen['path'], more: Partial<Screen> = {}): Screen => ({
  name: `signal-sources-${name}`,
  path,
  ready: settled,
  prepare: switchedOn,
  ...more,
})

const list = filled(({ workspace }) => `${workspace}/signals/sources`)

/**
 * The screens of the sources of signals: the list, the steps of a new source, and the set-up page of the website tag.
 */
export const signalSourceScreens: Screen[] = [
  screen('filled', list),
  screen('empty', ({ empty }) => `/${empty.workspace}/signals/sources`),
  screen('error', list, {
    prepare: async (page) => {
      await switchedOn(page)
      await failing(/\/api\/workspaces\/[^/]+\/sources$/)(page)
    },
    expectsFailedCalls: true,
  }),
  screen(
    'catalog',
    filled(({ workspace }) => `${workspace}/signals/sources/new`),
  ),
  screen(
    'new',
    filled(({ workspace }) => `${workspace}/signals/sources/new/shopify-orders`),
  ),
  screen(
    'tag',
    filled(({ tag }) => `${tag}#setup`),
  ),
  screen(
    'tag-settings',
    filled(({ tag }) => `${tag}#settings`),
  ),
  screen(
    'orders',
    filled(({ orders }) => `${orders}#setup`),
  ),
  screen('guest', list, { asGuest: true }),
]
