import type { Page } from '@playwright/test'
import { settled } from './prepare.ts'
import type { Screen } from './screens.ts'

const path: Screen['path'] = ({ filled: { source } }) => `/${source}`

/** Opens the newest event whose row says so, at one of the tabs of its dialog. */
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

/** Everything that the live table and the dialog of an event show. */
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
