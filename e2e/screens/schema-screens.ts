import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const schema = (seed: Seed) => `/${seed.filled.checked}#schema`
const violations = (seed: Seed) => `/${seed.filled.checked}#violations`
const noSchema = (seed: Seed) => `/${seed.empty.source}#schema`

const opened = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  await settled(page)
}

const unfolded = async (page: Page): Promise<void> => {
  await opened(page)
  await page.getByRole('button', { name: /^Order Completed/ }).click()
  await page.getByRole('list', { name: 'Properties of Order Completed' }).waitFor()
}

const edited = async (page: Page): Promise<void> => {
  await unfolded(page)
  await page.getByRole('combobox', { name: 'Requirement of total', exact: true }).selectOption('optional')
  await page.getByRole('button', { name: 'Remove currency', exact: true }).click()
}

/** Opens a tool of the schema, and resolves when its window is open. */
const tool =
  (name: string, then: (page: Page) => Promise<void> = () => Promise.resolve()) =>
  async (page: Page): Promise<void> => {
    await opened(page)
    const button = page.getByRole('button', { name, exact: true })
    if ((await button.count()) > 0) await button.first().click()
    else {
      await page.getByRole('button', { name: 'More schema actions' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await page.getByRole('dialog').waitFor()
    await settled(page)
    await then(page)
  }

const openViolation =
  (row: RegExp) =>
  async (page: Page): Promise<void> => {
    await settled(page)
    await page.getByRole('row', { name: row }).first().click()
    await page.getByRole('dialog').waitFor()
  }

/** The screens of the schema of a source, and of its violations. */
export const schemaScreens: readonly Screen[] = [
  { name: 'source-schema-filled', path: schema, ready: unfolded },
  { name: 'source-schema-empty', path: noSchema, ready: opened },
  { name: 'source-schema-unsaved', path: schema, ready: edited },
  {
    name: 'source-schema-unknown-place',
    path: (seed) => `/${seed.filled.checked}?at=%2Fevents%2FOrder%20Completed%2Fproperties%2Fcoupon#schema`,
    ready: opened,
  },
  {
    name: 'source-schema-add-event',
    path: schema,
    ready: tool('Add event', async (page) => {
      await page.getByRole('textbox', { name: 'Event name' }).fill('Order Completed')
      await page.getByRole('dialog').getByRole('button', { name: 'Add event' }).click()
      await page.getByText('There is already an event with this name').waitFor()
    }),
  },
  {
    name: 'source-schema-json',
    path: schema,
    ready: tool('Edit as JSON', async (page) => {
      await page.locator('[role=dialog] .cm-editor').waitFor()
      await page
        .getByRole('textbox', { name: 'Schema as JSON' })
        .fill(
          '{\n  "events": {\n    "Order Completed": {\n      "properties": { "total": { "type": "text" } }\n    }\n  }\n}',
        )
      await page.getByRole('button', { name: /^Line/ }).waitFor()
    }),
  },
  {
    name: 'source-schema-import',
    path: schema,
    ready: tool('Import', async (page) => {
      await page
        .getByRole('textbox', { name: 'Schema to import' })
        .fill('{"events": {"Order Completed": {"properties": {"total": {"type": "string"}}}, "Signed Up": {}}}')
      await page.getByRole('button', { name: 'Review changes' }).click()
      await page.getByRole('list', { name: 'What changes' }).waitFor()
    }),
  },
  { name: 'source-schema-proposal', path: schema, ready: tool('Suggest') },
  { name: 'source-schema-proposal-empty', path: noSchema, ready: tool('Suggest') },
  {
    name: 'source-schema-proposal-error',
    path: schema,
    ready: tool('Suggest'),
    prepare: failing(/\/inferredSchema$/),
    expectsFailedCalls: true,
  },
  { name: 'source-schema-history', path: schema, ready: tool('History') },
  {
    name: 'source-schema-version',
    path: schema,
    ready: tool('History', async (page) => {
      await page.getByRole('button', { name: /^Version 3/ }).click()
      await page.getByRole('list', { name: 'Changes' }).waitFor()
    }),
  },
  {
    name: 'source-schema-history-error',
    path: schema,
    ready: tool('History'),
    prepare: failing(/\/schemaVersions$/),
    expectsFailedCalls: true,
  },
  { name: 'source-violations-filled', path: violations, ready: settled },
  { name: 'source-violations-empty', path: (seed) => `/${seed.empty.source}#violations`, ready: settled },
  {
    name: 'source-violations-error',
    path: violations,
    ready: settled,
    prepare: failing(/\/violations$/),
    expectsFailedCalls: true,
  },
  { name: 'source-violation', path: violations, ready: openViolation(/Unknown property/) },
  { name: 'source-violation-fixed', path: violations, ready: openViolation(/Fixed in/) },
]
