import type { Page } from '@playwright/test'
import { settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const many = (path: (seed: Seed['many']) => string) => (seed: Seed) => `/${path(seed.many)}`

/**
 * Returns a screen of a workspace with 500 sources and 500 destinations. The screenshot has only the visible part, also
 * at 768 px.
 */
const screen = (name: string, path: (seed: Seed['many']) => string, ready: Screen['ready']): Screen => ({
  name: `many-${name}`,
  path: many(path),
  widths: [1440, 768, 390],
  inView: true,
  ready,
})

const scrolled = async (page: Page): Promise<void> => {
  await settled(page)
  await page.mouse.wheel(0, 6000)
  await page
    .getByRole('row', { name: /Source (35|36|37)\d/ })
    .first()
    .waitFor()
  await settled(page)
  // A row that is half covered by the header would show half a checkbox.
  await page.evaluate(() => {
    const head = document.querySelector('thead th')?.getBoundingClientRect().bottom ?? 0
    const tops = [...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().top)
    window.scrollBy(0, (tops.find((top) => top >= head) ?? head) - head)
  })
}

const chosen = async (page: Page): Promise<void> => {
  await settled(page)
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('region', { name: 'Selection' }).waitFor()
}

export const manyScreens: Screen[] = [
  screen('sources', ({ workspace }) => `${workspace}/sources`, settled),
  screen('sources-scrolled', ({ workspace }) => `${workspace}/sources`, scrolled),
  screen('sources-filtered', ({ workspace }) => `${workspace}/sources?search=source+4&type=HTTP+API`, settled),
  screen('sources-chosen', ({ workspace }) => `${workspace}/sources`, chosen),
  screen(
    'sources-delete',
    ({ workspace }) => `${workspace}/sources?search=source+4`,
    async (page) => {
      await chosen(page)
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('textbox', { name: /Type "delete"/ }).waitFor()
    },
  ),
  screen('destinations', ({ workspace }) => `${workspace}/destinations`, settled),
  screen('connections', ({ workspace }) => `${workspace}/connections`, settled),
  screen(
    'connections-open',
    ({ workspace }) => `${workspace}/connections`,
    async (page) => {
      await settled(page)
      await page.getByRole('button', { name: /sources not connected/ }).click()
      await page.getByRole('link', { name: 'Source 1', exact: true }).waitFor()
    },
  ),
  {
    ...screen(
      'source-picker',
      ({ workspace }) => `${workspace}/events`,
      async (page) => {
        await settled(page)
        await page.getByRole('combobox', { name: 'Source' }).click()
        await page.keyboard.type('http')
        await page.getByRole('listbox').getByRole('option').first().waitFor()
      },
    ),
    opensMenu: true,
  },
  {
    ...screen(
      'connect-source',
      ({ destination }) => `${destination}#connections`,
      async (page) => {
        await settled(page)
        await page.getByRole('button', { name: 'Connect source' }).click()
        await page.getByRole('listbox').getByRole('option').first().waitFor()
      },
    ),
    opensMenu: true,
  },
  screen(
    'new-destination',
    ({ workspace }) => `${workspace}/catalog-destinations/webhook/new`,
    async (page) => {
      await settled(page)
      await page.getByRole('searchbox', { name: 'Search sources' }).fill('source 49')
      await page.getByRole('checkbox', { name: 'Source 49', exact: true }).check()
    },
  ),
]
