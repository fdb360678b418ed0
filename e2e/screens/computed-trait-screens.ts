import type { Page } from '@playwright/test'
import type { MethodResponse, methods } from '@tributary/contract'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const list = ({ filled }: Seed): string => `/${filled.workspace}/computedTraits`
const form = ({ filled }: Seed): string => `/${filled.workspace}/computedTraits/new`

const open = async (page: Page): Promise<void> => {
  await page.getByRole('table', { name: 'Computed traits' }).getByRole('link', { name: 'revenue_30_days' }).click()
  await page.getByText('have a value').waitFor()
  await settled(page)
}

type Answer = MethodResponse<typeof methods.computedTraits.get>

/** Fakes another state of the computed trait. */
const answering =
  (change: (now: number) => Partial<Answer>) =>
  async (page: Page): Promise<void> => {
    await page.route(
      (url) => /\/api\/workspaces\/[^/]+\/computedTraits\/[^/]+$/.test(url.pathname),
      async (route) => {
        // A call that is running when the page is closed has no response.
        const response = await route.fetch().catch(() => undefined)
        if (response === undefined) return await route.abort().catch(() => {})
        await route.fulfill({ response, json: { ...(await response.json()), ...change(Date.now()) } })
      },
    )
  }

/** Fills in the form with a sum of `total`. */
const fill = async (page: Page): Promise<void> => {
  await page.getByLabel('Name of the trait').fill('largest_order')
  await page.getByRole('combobox', { name: 'Event' }).fill('Order Completed')
  await page.getByLabel('Operation').selectOption('maximum')
  await page.getByRole('combobox', { name: 'Property' }).fill('total')
  await page.getByRole('heading', { name: 'Preview' }).click()
}

/** The screens of the list of computed traits, the form, and a computed trait in each state. */
export const computedTraitScreens: Screen[] = [
  { name: 'computed-traits-filled', path: list, ready: settled },
  { name: 'computed-traits-empty', path: ({ empty }) => `/${empty.workspace}/computedTraits`, ready: settled },
  {
    name: 'computed-traits-error',
    path: list,
    prepare: failing(/\/api\/workspaces\/[^/]+\/computedTraits$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'computed-trait-new',
    path: form,
    ready: async (page) => {
      await fill(page)
      await page.getByText('Exact as of').waitFor()
      await settled(page)
    },
  },
  {
    name: 'computed-trait-new-warnings',
    path: form,
    ready: async (page) => {
      await fill(page)
      await page.getByRole('combobox', { name: 'Property' }).fill('totl')
      await page.getByRole('heading', { name: 'Preview' }).click()
      await page.getByText('No property named').waitFor()
      await settled(page)
    },
  },
  {
    name: 'computed-trait-new-errors',
    path: form,
    ready: async (page) => {
      await page.getByLabel('Operation').selectOption('sum')
      await page.getByRole('button', { name: 'Add condition' }).click()
      await page.getByRole('button', { name: 'Create' }).click()
      await settled(page)
    },
  },
  {
    name: 'computed-trait-new-no-preview',
    path: form,
    prepare: failing(/\/computedTraits:preview$/),
    expectsFailedCalls: true,
    ready: async (page) => {
      await fill(page)
      await page.getByText('Could not compute the preview').waitFor()
      await settled(page)
    },
  },
  { name: 'computed-trait-live', path: list, ready: open },
  {
    name: 'computed-trait-computing',
    path: list,
    prepare: answering(() => ({ state: 'computing', progress: { done_count: 120_000, profile_count: 200_000 } })),
    ready: open,
  },
  {
    name: 'computed-trait-failed',
    path: list,
    prepare: answering(() => ({
      state: 'failed',
      failure: 'Computing it reads too many events. Choose a shorter window or a rarer event',
    })),
    ready: open,
  },
  {
    name: 'computed-trait-behind',
    path: list,
    prepare: answering((now) => ({ as_of: new Date(now - 600_000).toISOString() })),
    ready: open,
  },
  {
    name: 'computed-trait-edit',
    path: list,
    ready: async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByText('Exact as of').waitFor()
      await settled(page)
    },
  },
  {
    name: 'computed-trait-missing',
    path: ({ filled }) => `/${filled.workspace}/computedTraits/unknown`,
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('alert').waitFor()
      await settled(page)
    },
  },
]
