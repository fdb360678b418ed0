import type { Page } from '@playwright/test'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'
import type { SyncSeed } from './sync-seed.ts'

const at = (path: (seed: SyncSeed) => string) => (seed: Seed) => `/${path(seed.synced)}`
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const choose = async (page: Page, label: string, option: string): Promise<void> => {
  await page.getByRole('combobox', { name: new RegExp(`^${label}`) }).click()
  await page.getByRole('option', { name: new RegExp(`^${option}`) }).click()
}

/** Opens the steps of a new sync one by one, up to the given step. */
const toStep =
  (step: number) =>
  async (page: Page): Promise<void> => {
    await button(page, 'Start over').or(button(page, 'Continue')).first().waitFor()
    if (await button(page, 'Start over').isVisible()) await button(page, 'Start over').click()
    const act = [
      () => choose(page, 'Model', 'Customers'),
      () => choose(page, 'Destination', 'Warehouse'),
      () => page.getByRole('radio', { name: /^Full/ }).check(),
    ]
    for (let done = 0; done < step; done++) {
      await act[done]?.()
      await button(page, 'Continue').click()
    }
    await settled(page)
  }

const field = (name: string, more: object = {}) => ({
  name,
  label: name,
  type: 'string',
  required: false,
  unique: false,
  options: [],
  ...more,
})

/** Fakes a destination with fields and facts, like a vendor that does not run on this machine. */
const telling = async (page: Page): Promise<void> => {
  const plans = ['free', 'team', 'business'].map((value) => ({ value, label: value }))
  const fields = [
    field('id', { label: 'Customer ID', unique: true }),
    field('plan', { label: 'Plan', type: 'enumeration', options: plans }),
    field('lifecyclestage', { label: 'Lifecycle stage', required: true }),
  ]
  const facts = [
    { title: 'Custom Audience', value: 'Customers of this year' },
    { title: 'Matched people', value: '12,400 to 12,500' },
  ]
  await page.route(/\/api\/workspaces\/[^/]+\/destinations\/[^/]+\/object\?/, (route) =>
    route.fulfill({ json: { fields, facts, message: '' } }),
  )
}

/** Shows an ended run as it was while it sent rows, because an active run never looks the same twice. */
const sending = async (page: Page): Promise<void> => {
  await page.route(/\/api\/.*\/runs\/[^/?]+$/, async (route) => {
    const answer = await route.fetch()
    const run = await answer.json()
    const { counts, state_times: times } = run
    const state_times = { ...times, sending: new Date(Date.now() - 95_000).toISOString() }
    delete state_times.succeeded
    await route.fulfill({
      response: answer,
      json: {
        ...run,
        state: 'sending',
        finish_time: null,
        state_times,
        counts: { ...counts, added: 0, waiting: counts.added },
      },
    })
  })
}

const wizard = ({ workspace }: SyncSeed): string => `${workspace}/syncs/new`

/** The screens of the list of syncs, the steps to a new one, a sync with its tabs, and its runs. */
export const syncScreens: Screen[] = [
  { name: 'syncs-filled', path: at(({ workspace }) => `${workspace}/syncs`), ready: settled },
  { name: 'syncs-empty', path: ({ empty }) => `/${empty.workspace}/syncs`, ready: settled },
  {
    name: 'syncs-error',
    path: at(({ workspace }) => `${workspace}/syncs`),
    prepare: failing(/\/api\/workspaces\/[^/]+\/syncs$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  ...['model', 'destination', 'mode', 'mapping', 'schedule', 'review'].map((name, step) => ({
    name: `new-sync-${name}`,
    path: at(wizard),
    ready: toStep(step),
  })),
  {
    name: 'new-sync-mode-owns',
    path: at(wizard),
    ready: async (page) => {
      await toStep(2)(page)
      await page.getByRole('radio', { name: /^Full/ }).check()
      await page.getByRole('checkbox', { name: /^This sync owns/ }).check()
      await settled(page)
    },
  },
  {
    name: 'new-sync-mode-cursor',
    path: at(wizard),
    ready: async (page) => {
      await toStep(2)(page)
      await page.getByRole('checkbox', { name: /^Read only new/ }).check()
      await settled(page)
    },
  },
  {
    name: 'new-sync-cron',
    path: at(wizard),
    ready: async (page) => {
      await toStep(4)(page)
      await page.getByRole('combobox', { name: 'Schedule' }).selectOption('Cron expression')
      await settled(page)
    },
  },
  {
    name: 'new-sync-dry-run',
    path: at(wizard),
    ready: async (page) => {
      await toStep(5)(page)
      await button(page, 'Dry run').click()
      await page.getByRole('region', { name: 'Added' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-sync-events',
    path: at(wizard),
    ready: async (page) => {
      await toStep(1)(page)
      await choose(page, 'Destination', 'Store')
      await page.getByRole('textbox', { name: /^Event name/ }).fill('Customer Imported')
      await button(page, 'Continue').click()
      await button(page, 'Continue').click()
      await page.getByLabel('Field for email').waitFor()
      await settled(page)
    },
  },
  { name: 'sync-runs', path: at(({ sync }) => sync), ready: settled },
  { name: 'sync-mapping', path: at(({ sync }) => `${sync}#mapping`), ready: settled },
  {
    name: 'sync-test-row',
    path: at(({ sync }) => `${sync}#mapping`),
    inView: true,
    ready: async (page) => {
      await button(page, 'Preview row').click()
      await page.getByText('Key at the destination').waitFor()
      await settled(page)
    },
  },
  {
    name: 'sync-test-row-missing',
    path: at(({ sync }) => `${sync}#mapping`),
    inView: true,
    ready: async (page) => {
      await page.getByLabel('Row', { exact: true }).selectOption('By primary key')
      await page.getByLabel('id', { exact: true }).fill('100000')
      await button(page, 'Preview row').click()
      await page.getByText(/No row of the model/).waitFor()
      await settled(page)
    },
  },
  {
    name: 'sync-test-row-sent',
    path: at(({ sync }) => `${sync}#mapping`),
    inView: true,
    ready: async (page) => {
      await button(page, 'Preview row').click()
      await page.getByText('Key at the destination').waitFor()
      await button(page, 'Send test row').click()
      await button(page, 'Send').click()
      await page.getByText('Outcome').waitFor()
      await settled(page)
    },
  },
  { name: 'sync-facts', path: at(({ sync }) => sync), prepare: telling, ready: settled },
  { name: 'sync-mapping-fields', path: at(({ sync }) => `${sync}#mapping`), prepare: telling, ready: settled },
  { name: 'sync-settings', path: at(({ sync }) => `${sync}#settings`), ready: settled },
  { name: 'sync-tokens', path: at(({ workspace }) => `${workspace}/syncs/tokens`), ready: settled },
  {
    name: 'sync-tokens-made',
    path: at(({ workspace }) => `${workspace}/syncs/tokens`),
    ready: async (page) => {
      await settled(page)
      await button(page, 'Create token').click()
      await page.getByLabel('Title').fill('Airflow')
      await button(page, 'Create token').last().click()
      await page.getByRole('dialog', { name: 'Save your API token' }).waitFor()
    },
  },
  { name: 'sync-alert-channels', path: at(({ workspace }) => `${workspace}/syncs/alerts`), ready: settled },
  {
    name: 'sync-alert-channels-made',
    path: at(({ workspace }) => `${workspace}/syncs/alerts`),
    ready: async (page) => {
      await settled(page)
      await button(page, 'Create channel').click()
      await page.getByLabel('Title').fill('On call')
      await page.getByLabel('Kind').selectOption('webhook')
      await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
      await button(page, 'Create channel').last().click()
      await button(page, 'Done').click()
      await button(page, 'Send test').first().click()
      await page.getByText(/^Test: /).waitFor()
      await settled(page)
    },
  },
  {
    name: 'sync-delete',
    path: at(({ sync }) => `${sync}#settings`),
    ready: async (page) => {
      await button(page, 'Delete sync').click()
      await settled(page)
    },
  },
  { name: 'sync-run-done', path: at(({ done }) => done), inView: true, ready: settled },
  { name: 'sync-run-sending', path: at(({ done }) => done), inView: true, prepare: sending, ready: settled },
  {
    name: 'sync-run-cancel',
    path: at(({ done }) => done),
    inView: true,
    prepare: sending,
    ready: async (page) => {
      await button(page, 'Cancel run').click()
      await settled(page)
    },
  },
  { name: 'sync-run-cursor', path: at(({ visited }) => visited), inView: true, ready: settled },
  { name: 'sync-cursor-settings', path: at(({ visits }) => `${visits}#settings`), ready: settled },
  { name: 'sync-without-runs', path: at(({ unrun }) => unrun), ready: settled },
  {
    name: 'sync-dry-run-failed',
    path: at(({ failed }) => `${failed.replace(/\/runs\/.*/, '')}#mapping`),
    ready: async (page) => {
      await button(page, 'Dry run').click()
      await page.getByText(/does not exist/).waitFor()
      await settled(page)
    },
  },
  { name: 'sync-run-approval', path: at(({ asks }) => asks), inView: true, ready: settled },
  { name: 'sync-run-failed', path: at(({ failed }) => failed), inView: true, ready: settled },
  { name: 'sync-run-rejected', path: at(({ rejected }) => rejected), inView: true, ready: settled },
  {
    name: 'sync-run-response',
    path: at(({ rejected }) => rejected),
    inView: true,
    ready: async (page) => {
      await button(page, 'Response').first().click()
      await page
        .getByRole('dialog', { name: 'Latest attempt' })
        .getByText(/check constraint/)
        .first()
        .waitFor()
      await settled(page)
    },
  },
  {
    name: 'sync-run-error',
    path: at(({ done }) => done),
    prepare: failing(/\/api\/.*\/runs\/[^/]+$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'destination-delete-with-syncs',
    path: at(({ warehouse }) => `${warehouse}#settings`),
    ready: async (page) => {
      await button(page, 'Delete destination').click()
      await settled(page)
    },
  },
  { name: 'data-source-file-empty', path: at(({ files }) => files), ready: settled },
  {
    name: 'data-source-file-uploaded',
    path: at(({ files }) => files),
    ready: async (page) => {
      const buffer = Buffer.from('id,customer,total\n1,ada,12.50\n2,bob,8\n')
      const file = { name: 'orders.csv', mimeType: 'text/csv', buffer }
      await page.getByLabel(/^File to upload/).setInputFiles(file)
      await page.getByRole('link', { name: 'Create model' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'data-source-file-refused',
    path: at(({ files }) => files),
    expectsFailedCalls: true,
    ready: async (page) => {
      const buffer = Buffer.from('id,customer\n1,ada\n2\n')
      await page.getByLabel(/^File to upload/).setInputFiles({ name: 'broken.csv', mimeType: 'text/csv', buffer })
      await page.getByText(/was not uploaded/).waitFor()
      await settled(page)
    },
  },
  { name: 'data-sources-filled', path: at(({ workspace }) => `${workspace}/dataSources`), ready: settled },
  {
    name: 'data-source-tables',
    path: at(({ dataSource }) => dataSource),
    ready: async (page) => {
      await page.getByText('shop.customers', { exact: true }).first().click()
      await page.getByText('signed_up').first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'data-source-unreachable',
    path: at(({ away }) => away),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByText(/connection to your data warehouse/).waitFor()
      await settled(page)
    },
  },
  { name: 'data-source-models', path: at(({ dataSource }) => `${dataSource}#models`), ready: settled },
  {
    name: 'data-source-connection-failed',
    path: at(({ away }) => `${away}#settings`),
    ready: async (page) => {
      await button(page, 'Test connection').click()
      await page.getByText(/Connection refused/).waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-model-preview',
    path: at(({ dataSource }) => `${dataSource}/new-model?schema=shop&table=orders`),
    ready: async (page) => {
      await button(page, 'Preview rows').click()
      await page.getByRole('table').first().waitFor()
      await settled(page)
    },
  },
  {
    name: 'new-model-refused',
    path: at(({ dataSource }) => `${dataSource}/new-model`),
    expectsFailedCalls: true,
    ready: async (page) => {
      await page.getByRole('radio', { name: 'SQL query' }).check()
      await page.getByRole('textbox', { name: /SQL query/ }).fill('select nothing\nfrom shop.customers')
      await button(page, 'Validate').click()
      await page.getByText('Please verify that the SQL Query is valid.').waitFor()
      await settled(page)
    },
  },
  { name: 'model-with-syncs', path: at(({ model }) => model), ready: settled },
]
