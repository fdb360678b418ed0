import type { Page } from '@playwright/test'
import { createPostgresPeer, createSource, createWorkspace, eventually, startSharedPostgres } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

// This file is one of the last and the longest. Without parallel tests, only one browser would run at the end.
test.describe.configure({ mode: 'parallel' })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const outcomes = (page: Page) => page.getByLabel('Rows by outcome')

/** Chooses an entry of a searchable list. */
const choose = async (page: Page, label: string, option: string): Promise<void> => {
  await page.getByRole('combobox', { name: new RegExp(`^${label}`) }).click()
  await page.getByRole('option', { name: new RegExp(`^${option}`) }).click()
}

test('a sync is created step by step, run, and approved by a user, and each of its rows shows its outcome [SYN-01, SYN-09, OPEN-30]', async ({
  signedIn: page,
  product,
}) => {
  await using postgres = await startSharedPostgres()
  await using peer = await createPostgresPeer(postgres.url)
  const { user } = peer.access
  await peer.query(`create schema shop authorization ${user}`)
  await peer.query('create table shop.customers (id bigint, email text)')
  await peer.query(
    `insert into shop.customers values (1, 'ada@x.de'), (2, 'bob@x.de'), (3, 'cyd@x.de'), (null, 'eve@x.de')`,
  )
  await peer.query(`grant select on shop.customers to ${user}`)
  const { workspace } = await createWorkspace(product.api, 'Syncing')
  const settings = { ...peer.access, tls: 'off' }

  // The page offers the creation of each missing part of a sync.
  await page.goto(`/${workspace}/syncs`)
  await expect(page.getByRole('link', { name: 'Add data source' })).toBeVisible()
  const { name: dataSource } = await product.api.ok('POST', `/${workspace}/dataSources`, {
    title: 'Shop',
    app: { name: 'catalogDataSources/postgresql' },
    settings,
  })
  await page.reload()
  await expect(page.getByRole('link', { name: 'Create model' })).toBeVisible()
  await product.api.ok('POST', `/${workspace}/models`, {
    title: 'Customers',
    data_source: dataSource,
    query: { sql: 'select id, email from shop.customers' },
    primary_key: ['id'],
  })
  await product.api.ok('POST', `/${workspace}/destinations`, {
    title: 'Warehouse',
    app: { name: 'catalogDestinations/postgresql' },
    settings: { ...settings, schema: 'synced' },
  })
  await page.reload()
  await page.getByRole('link', { name: 'New sync' }).click()

  await button(page, 'Continue').click()
  await expect(page.getByText('Choose a model').last()).toBeVisible()
  await choose(page, 'Model', 'Customers')
  await button(page, 'Continue').click()
  await choose(page, 'Destination', 'Warehouse')
  await expect(page.getByRole('textbox', { name: /^Table name/ })).toHaveValue('customers')
  await button(page, 'Continue').click()
  await expect(page.getByRole('radio')).toHaveCount(4)
  await page.getByRole('radio', { name: /^Full/ }).check()
  await expect(page.getByRole('checkbox', { name: /^This sync owns the table customers/ })).not.toBeChecked()
  await button(page, 'Continue').click()
  await expect(page.getByRole('radio', { name: 'id is the identifier' })).toBeChecked()
  await page.getByLabel('Field for email').fill('id')
  await button(page, 'Continue').click()
  await expect(page.getByText('id already goes to id')).toBeVisible()
  await page.getByLabel('Field for email').fill('email_address')
  await button(page, 'Continue').click()
  await page.getByRole('combobox', { name: 'Schedule' }).selectOption('Cron expression')
  const saved = page.waitForResponse(
    (response) => response.request().postData()?.includes('30 6 * * 1-5') === true && response.ok(),
  )
  await page.getByRole('textbox', { name: /^Cron expression/ }).fill('30 6 * * 1-5')
  await saved
  // The choices survive a reload.
  await expect(page.getByText('Draft saved')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Schedule' })).toHaveValue('cron')
  await button(page, 'Continue').click()
  await expect(page.getByLabel('Title')).toHaveValue('Customers to Warehouse')
  await button(page, 'Dry run').click()
  const dryRun = page.getByRole('region', { name: 'Dry run' })
  await expect(dryRun.getByRole('region', { name: 'Added' })).toContainText('Added 3')
  await expect(dryRun.getByRole('region', { name: 'Added' })).toContainText('ada@x.de')
  await expect(dryRun.getByRole('region', { name: 'Invalid' })).toContainText('Invalid 1')
  await button(page, 'Create sync').click()

  await expect(page.getByRole('heading', { name: 'Customers to Warehouse' })).toBeVisible()
  await expect(page.getByText('No runs yet')).toBeVisible()
  await page.getByRole('tab', { name: 'Settings' }).click()
  const alerts = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Alerts' }) })
  await alerts.getByLabel('Share of rejected rows').fill('5%')
  await expect(alerts.getByRole('alert')).toHaveText('Enter a whole number')
  await expect(alerts.getByRole('button', { name: 'Save' })).toBeDisabled()
  await alerts.getByLabel('Share of rejected rows').fill('5')
  await alerts.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Sync Updated')).toBeVisible()
  await expect(alerts.getByRole('button', { name: 'Save' })).toBeDisabled()
  await button(page, 'Run now').click()
  await expect(page.getByText('Succeeded', { exact: true })).toBeVisible()
  await expect(page.getByText('4 rows read', { exact: true }).first()).toBeVisible()
  await expect(outcomes(page).getByText('Added')).toBeVisible()
  await expect(outcomes(page)).toContainText('Added3')
  await expect(outcomes(page)).toContainText('Invalid1')
  const rows = page.getByRole('table', { name: 'Rows' }).getByRole('row')
  await expect(rows).toHaveCount(5)
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Invalid')
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText(/null/i)
  const download = page.waitForEvent('download')
  await button(page, 'Export CSV').click()
  expect((await download).suggestedFilename()).toBe('Customers to Warehouse invalid rows.csv')
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('Any outcome')
  await page.getByLabel('Search by key').fill('2')
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText('Delivered')
  expect(await peer.query('select id::text, email_address from synced.customers order by id')).toEqual([
    { id: '1', email_address: 'ada@x.de' },
    { id: '2', email_address: 'bob@x.de' },
    { id: '3', email_address: 'cyd@x.de' },
  ])

  // Most rows were deleted, so the run asks for approval and says why.
  await peer.query('delete from shop.customers where id > 1')
  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Customers to Warehouse' })
    .click()
  await button(page, 'Run now').click()
  await expect(page.getByRole('heading', { name: 'This run needs approval' })).toBeVisible()
  await expect(page.getByText(/would change 0 and remove 2 of 3 rows/).first()).toBeVisible()
  await button(page, 'Approve').click()
  await expect(page.getByText('Succeeded', { exact: true })).toBeVisible()
  await expect(page.getByText('2 rows removed.')).toBeVisible()
  await expect(page.getByText(/approved by/)).toBeVisible()
  expect(await peer.query('select id::text from synced.customers')).toEqual([{ id: '1' }])

  // The page explains why the destination refuses a row. After the fix, the row is sent again automatically.
  await peer.query("alter table synced.customers add constraint known check (email_address <> 'bad')")
  await peer.query("insert into shop.customers values (4, 'bad'), (5, 'fay@x.de')")
  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Customers to Warehouse' })
    .click()
  await button(page, 'Run now').click()
  await expect(outcomes(page)).toContainText('Rejected1')
  await button(page, 'Response').click()
  const attempt = page.getByRole('dialog', { name: 'Latest attempt' })
  await expect(attempt.getByText(/violates check constraint/).first()).toBeVisible()
  await attempt.getByRole('button', { name: 'Close' }).last().click()
  await peer.query('alter table synced.customers drop constraint known')
  await button(page, 'Rerun rejected rows').click()
  await expect(page.getByText('Rejected rows of an earlier run')).toBeVisible()
  await expect(page.getByText('Succeeded', { exact: true })).toBeVisible()
  await expect(page.getByText('1 row read', { exact: true }).first()).toBeVisible()
  expect(await peer.query('select id::text from synced.customers order by id')).toEqual([
    { id: '1' },
    { id: '4' },
    { id: '5' },
  ])

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Syncs' }).click()
  await page.getByLabel('Search syncs').fill('warehouse')
  const listed = page.getByRole('table', { name: 'Syncs' }).getByRole('row').nth(1)
  await expect(listed).toContainText('Succeeded')
  await listed.getByRole('link', { name: 'Customers to Warehouse' }).click()
  // An orchestrator starts the sync with a token, which is shown once.
  await page.getByRole('tab', { name: 'Settings' }).click()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await page.getByRole('link', { name: 'API token' }).click()
  await expect(page.getByText('No token yet.')).toBeVisible()
  await button(page, 'Create token').click()
  const form = page.getByRole('form', { name: 'Create API token' })
  await form.getByLabel('Title').fill('Airflow')
  await form.getByRole('button', { name: 'Create token' }).click()
  const made = page.getByRole('dialog', { name: 'Save your API token' })
  const token = (await made.getByText(/^sync_[\w-]+$/).innerText()).trim()
  await made.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(token)).toHaveCount(0)
  await expect(page.getByText('Never used')).toBeVisible()
  const start = () =>
    fetch(`${product.url}/syncs/v1/${id}/runs`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect((await start()).status).toBe(201)
  // The use of the token is stored concurrently with the response. A page that is opened a moment earlier does not read
  // it again.
  await eventually('the use of the token is written down', async () => {
    const { sync_tokens } = await product.api.ok('GET', `/${workspace}/syncTokens`)
    return (sync_tokens as { last_used_time: string | null }[]).some(({ last_used_time }) => last_used_time !== null)
  })
  await page.reload()
  await expect(page.getByText('Last used')).toBeVisible()
  await button(page, 'Revoke').click()
  await page.getByRole('dialog', { name: 'Revoke API token' }).getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText('No token yet.')).toBeVisible()
  expect((await start()).status).toBe(401)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Syncs' }).click()
  await page.getByRole('link', { name: 'Customers to Warehouse' }).click()
  await expect(page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1)).toContainText('API')
  await expect(page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1)).toContainText('Succeeded')
  await page.getByRole('tab', { name: 'Settings' }).click()
  await button(page, 'Reset').click()
  await button(page, 'Reset sync').click()
  await expect(page.getByText('Sync Reset')).toBeVisible()
  await button(page, 'Delete sync').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete sync' }).click()
  await expect(page.getByRole('heading', { name: 'Create your first sync' })).toBeVisible()
})

test('rows of an uploaded file become events in the live debugger, each once', async ({ signedIn: page, product }) => {
  const { organization, workspace } = await createWorkspace(product.api, 'Offline data')
  const { source } = await createSource(product.api, workspace, 'Store')
  await page.goto(`/${workspace}/dataSources`)
  await page.getByRole('link', { name: 'Add data source' }).click()
  await page.getByRole('link', { name: /File upload/ }).click()
  await button(page, 'Create').click()
  const rows = ['1,ada,2024-11-29 09:30:00,12.50', '2,bob,2024-11-30,8', '3,,2024-12-01,9']
  const buffer = Buffer.from(`id,customer_id,ordered_at,total\n${rows.join('\n')}\n`)
  await page.getByLabel('File to upload').setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('link', { name: 'Create model' }).click()
  await page.getByRole('checkbox', { name: 'id', exact: true }).check()
  await button(page, 'Create').click()
  await expect(page.getByText('Model Created')).toBeVisible()

  await page.goto(`/${workspace}/syncs/new`)
  await page.getByRole('combobox', { name: /^Model/ }).click()
  await page.getByRole('option').first().click()
  await button(page, 'Continue').click()
  await choose(page, 'Destination', 'Store')
  await page.getByRole('textbox', { name: /^Event name/ }).fill('Order Completed')
  await button(page, 'Continue').click()
  await expect(page.getByRole('radio', { name: /^Insert Only/ })).toBeChecked()
  await button(page, 'Continue').click()
  await expect(page.getByLabel('Field for customer_id')).toHaveValue('userId')
  await expect(page.getByLabel('Field for ordered_at')).toHaveValue('timestamp')
  await expect(page.getByLabel('Field for total')).toHaveValue('properties.total')
  await button(page, 'Continue').click()
  await button(page, 'Continue').click()
  await expect(page.getByRole('checkbox', { name: /^Send to connected destinations/ })).not.toBeChecked()
  await button(page, 'Dry run').click()
  const dryRun = page.getByRole('region', { name: 'Dry run' })
  await expect(dryRun.getByRole('region', { name: 'Added' })).toContainText('2024-11-29T09:30:00.000Z')
  await expect(dryRun.getByRole('region', { name: 'Invalid' })).toContainText('userId and anonymousId are empty')
  await expect(dryRun).toContainText("The run would add 0 events to this period's usage.")
  await expect(dryRun).toContainText('2 events from before the period would be stored and would not count.')
  await button(page, 'Create sync').click()

  const debug = await page.context().newPage()
  await debug.goto(`/${source}`)
  await expect(debug.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  for (const counts of [
    ['Added2', 'Invalid1'],
    ['Unchanged2', 'Invalid1'],
  ]) {
    await button(page, 'Run now').click()
    for (const count of counts) await expect(outcomes(page)).toContainText(count)
    await expect(page.getByText('Succeeded', { exact: true })).toBeVisible()
    await page.goBack()
  }
  const live = debug.getByRole('table', { name: 'Live events' })
  await expect(live).toHaveAttribute('aria-rowcount', '3')
  await expect(live).toContainText('Order Completed')
  const usage = await product.api.ok('GET', `/${organization}/usageReport`)
  expect(usage).toMatchObject({ events: { used: 0 }, profiles: { used: 0 } })
})
