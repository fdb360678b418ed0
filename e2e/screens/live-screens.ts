import type { Page } from '@playwright/test'
import { settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const path: Screen['path'] = ({ filled: { source } }) => `/${source}`

/** Opens the newest event whose row contains a text, on one of the tabs of its dialog. */
const openEvent =
  (row: RegExp, tab: string) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await page.getByRole('table', { name: 'Live events' }).getByRole('row', { name: row }).first().click()
    await page.getByRole('dialog').getByRole('tab', { name: tab }).click()
    await settled(page)
  }

const filter =
  (text: string, compatibility: string) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await page.getByRole('searchbox', { name: 'Search by name' }).fill(text)
    await page.getByRole('combobox', { name: 'Compatibility' }).selectOption(compatibility)
  }

/** Sets a state that users can choose: the table fills the window, its rows are dense, and a property has a column. */
const expanded = async (page: Page, { filled: { source } }: Seed): Promise<void> => {
  const state = { expanded: true, density: 'compact', properties: { [source]: 'total' } }
  await page.addInitScript(
    (view) => localStorage.setItem('tributary-live-view', view),
    JSON.stringify({ state, version: 1 }),
  )
}

/** The screens of the live table and of the dialog of an event. */
export const liveScreens: Screen[] = [
  { name: 'live-filtered', path, ready: filter('pro', 'New to the schema') },
  { name: 'live-no-match', path, ready: filter('nothing like this', '') },
  {
    name: 'live-tooltip',
    opensMenu: true,
    path,
    ready: async (page) => {
      await settled(page)
      await page
        .getByRole('img', { name: /not fully compatible/ })
        .first()
        .hover()
      await page.getByText(/^This event is not fully compatible/).waitFor()
    },
  },
  { name: 'live-expanded', path, prepare: expanded, ready: settled },
  { name: 'live-expanded-event', path, prepare: expanded, ready: openEvent(/Order Completed/, 'Payload') },
  {
    name: 'live-view-menu',
    opensMenu: true,
    path,
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'View' }).click()
      await page.getByRole('combobox', { name: 'Property column' }).waitFor()
    },
  },
  { name: 'live-event-payload', path, ready: openEvent(/Order Completed/, 'Payload') },
  { name: 'live-event-compatible', path, ready: openEvent(/Order Completed/, 'Compatibility') },
  { name: 'live-event-attention', path, ready: openEvent(/Product Viewed/, 'Compatibility') },
  { name: 'live-event-new', path, ready: openEvent(/Product Added/, 'Compatibility') },
  { name: 'live-event-page', path, ready: openEvent(/Home/, 'Compatibility') },
  { name: 'live-event-rejected', path, ready: openEvent(/Rejected/, 'Compatibility') },
  { name: 'live-event-deliveries', path, ready: openEvent(/Order Completed/, 'Deliveries') },
  {
    name: 'live-event-missing',
    path: ({ filled: { source } }) => `/${source}?event=0-0-0`,
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('dialog').getByRole('alert').waitFor()
      await settled(page)
    },
  },
]
