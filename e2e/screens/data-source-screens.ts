import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'

/** Syncs are off unless an installation switches them on. */
const withSyncs = async (page: Page): Promise<void> => {
  await page.route('**/ofrep/v1/evaluate/flags', (route) =>
    route.fulfill({ json: { flags: [{ key: 'syncs', value: true, reason: 'STATIC', variant: 'on' }] } }),
  )
}

/** Data sources before there is one, what one is made of, and its form. */
export const dataSourceScreens: Screen[] = [
  { name: 'syncs', path: ({ filled }) => `/${filled.workspace}/syncs`, prepare: withSyncs, ready: settled },
  {
    name: 'data-sources-empty',
    path: ({ filled }) => `/${filled.workspace}/dataSources`,
    prepare: withSyncs,
    ready: settled,
  },
  {
    name: 'data-sources-error',
    path: ({ filled }) => `/${filled.workspace}/dataSources`,
    prepare: async (page) => {
      await withSyncs(page)
      await failing(/\/api\/workspaces\/[^/]+\/dataSources$/)(page)
    },
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'data-source-catalog',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources`,
    prepare: withSyncs,
    ready: settled,
  },
  {
    name: 'new-data-source',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/postgresql/new`,
    prepare: withSyncs,
    ready: settled,
  },
  {
    name: 'new-data-source-mysql',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/mysql/new`,
    prepare: withSyncs,
    ready: settled,
  },
]
