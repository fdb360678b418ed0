import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'

/** The screens of destinations that a workspace describes itself: the list, the start, and the editor with its panels. */
export const ownScreens: readonly Screen[] = [
  { name: 'own-connectors-filled', path: ({ filled }) => `/${filled.workspace}/ownConnectors`, ready: settled },
  { name: 'own-connectors-empty', path: ({ empty }) => `/${empty.workspace}/ownConnectors`, ready: settled },
  {
    name: 'own-connectors-error',
    path: ({ filled }) => `/${filled.workspace}/ownConnectors`,
    prepare: failing(/\/api\/workspaces\/[^/]+\/ownConnectors$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'own-connector-new', path: ({ filled }) => `/${filled.workspace}/ownConnectors/new`, ready: settled },
  {
    name: 'own-connector-problems',
    path: ({ own }) => `/${own.draft}`,
    ready: async (page) => {
      await page.getByRole('list', { name: 'Problems' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'own-connector-vectors',
    path: ({ own }) => `/${own.published}#vectors`,
    ready: async (page) => {
      await page.getByRole('list', { name: 'Vectors' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'own-connector-row',
    path: ({ own }) => `/${own.published}#try`,
    ready: async (page) => {
      await page.getByRole('combobox', { name: 'What is sent' }).selectOption('The row below')
      await settled(page)
    },
  },
  { name: 'own-connector-guest', path: ({ own }) => `/${own.published}`, asGuest: true, ready: settled },
  {
    name: 'own-connector-error',
    path: ({ own }) => `/${own.published}`,
    prepare: failing(/\/api\/workspaces\/[^/]+\/ownConnectors\/[^/]+$/),
    expectsFailedCalls: true,
    ready: settled,
  },
]
