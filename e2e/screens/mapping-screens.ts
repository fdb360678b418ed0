import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const tab =
  (name: 'mapped' | 'destination' | 'chat'): Screen['path'] =>
  ({ filled }) =>
    `/${filled[name]}#mappings`

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Event mappings' }).getByRole('button', { name, exact: true })

/** Opens a mapping, and waits until its preview shows something. */
const open =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await row(page, name).click()
    await page.getByRole('complementary', { name: 'Preview' }).locator('pre, p').first().waitFor()
    await settled(page)
  }

const conflict = async (page: Page, { filled: { mapped } }: Seed): Promise<void> => {
  await settled(page)
  await page.getByRole('button', { name: 'Move Product Viewed (2) up' }).click()
  await page.route(
    (url) => url.pathname.endsWith(`/${mapped}/mappings`),
    async (route) => {
      if (route.request().method() === 'PUT')
        return route.fulfill({
          status: 409,
          json: { code: 409, reason: 'MAPPINGS_CHANGED', message: 'mappings have changed', metadata: {} },
        })
      const answer = await route.fetch()
      const body = (await answer.json()) as { revision: number; event_mappings: { enabled: boolean }[] }
      await route.fulfill({
        json: { ...body, revision: body.revision + 1, event_mappings: body.event_mappings.slice(1) },
      })
    },
  )
  await page.getByRole('button', { name: 'Save mappings' }).click()
  await page.getByRole('alert').first().waitFor()
  await settled(page)
}

/**
 * The screens of the mappings of a destination: the list, the editor of a mapping, and the windows that open from both.
 */
export const mappingScreens: Screen[] = [
  { name: 'mappings-presets', path: tab('destination'), ready: settled },
  { name: 'mappings-list', path: tab('mapped'), ready: settled },
  {
    name: 'mappings-empty',
    path: tab('mapped'),
    prepare: async (page) => {
      await page.route(/\/mappings$/, async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ json: { ...((await answer.json()) as object), event_mappings: [] } })
      })
    },
    ready: settled,
  },
  {
    name: 'mappings-error',
    path: tab('mapped'),
    expectsFailedCalls: true,
    prepare: failing(/\/mappings$/),
    ready: settled,
  },
  {
    name: 'mappings-draft',
    path: tab('mapped'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Move Product Viewed (2) up' }).click()
      await page.getByRole('region', { name: 'Unsaved changes' }).waitFor()
    },
  },
  {
    name: 'mappings-new-presets',
    path: tab('mapped'),
    prepare: async (page) => {
      await page.route(/\/mappings$/, async (route) => {
        const answer = await route.fetch()
        const names = ['Trial Started', 'Subscription Renewed After a Very Long Time', 'Product Shared']
        const new_presets = names.map((event_name) => ({ event_name, event_type: 'track', destination: 'send' }))
        await route.fulfill({ json: { ...((await answer.json()) as object), new_presets } })
      })
    },
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Add them' }).click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  { name: 'mappings-conflict', path: tab('mapped'), expectsFailedCalls: true, ready: conflict },
  { name: 'mapping-editor', path: tab('mapped'), ready: open('Order Completed') },
  {
    name: 'mapping-editor-profile',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Order Completed')(page)
      // The fields with the profile are below the first screen of the editor.
      await page.setViewportSize({ width: page.viewportSize()?.width ?? 1440, height: 3200 })
      await settled(page)
    },
  },
  {
    name: 'mapping-editor-warnings',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Order Completed')(page)
      await page.getByRole('combobox', { name: 'Field of condition 1' }).first().fill('properties.totl')
      await page.getByRole('combobox', { name: 'Source of id' }).fill('properties.order')
      await page.keyboard.press('Tab')
      await page.getByText('No property named "order"').waitFor()
      await settled(page)
    },
  },
  {
    name: 'mapping-editor-required',
    path: tab('chat'),
    ready: async (page) => {
      await settled(page)
      await page.getByRole('button', { name: 'Customize' }).click()
      await settled(page)
      await row(page, 'Any event').first().click()
      await page.getByRole('combobox', { name: 'Source type for Text' }).selectOption('Field')
      await page.getByRole('button', { name: 'Save mappings' }).last().click()
      await page.getByText('Text is required. Choose a value').first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'mapping-template',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Order Completed')(page)
      await page.getByRole('button', { name: 'Edit template of Source of label' }).click()
      await page.getByRole('dialog').last().getByRole('region', { name: 'Result' }).locator('pre').waitFor()
      await settled(page)
    },
  },
  {
    name: 'mapping-template-wrong',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Order Completed')(page)
      await page.getByRole('button', { name: 'Edit template of Source of label' }).click()
      await page.locator('[role=dialog] .cm-editor').waitFor()
      await page.getByRole('textbox', { name: 'Template' }).fill('Order {{ properties.order_id | shout }}')
      await page
        .getByText(/^Error at/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'mapping-send-test',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Order Completed')(page)
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('Delivered', { exact: true }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'mapping-pasted',
    path: tab('mapped'),
    ready: async (page) => {
      await open('Product Viewed')(page)
      await page.getByRole('combobox', { name: 'Preview event' }).selectOption('pasted')
      await page.getByRole('textbox', { name: 'Event as JSON' }).waitFor()
      await settled(page)
    },
  },
]
