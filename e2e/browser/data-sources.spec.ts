import type { Page } from '@playwright/test'
import { createPostgresPeer, createWorkspace, startSharedPostgres } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('ERR-04, MAP-07, MAP-09, MAP-10a, OPEN-60: a data source is added, its tables are listed, a query becomes a model, and an unreachable database is reported', async ({
  signedIn: page,
  product,
}) => {
  await using postgres = await startSharedPostgres()
  await using peer = await createPostgresPeer(postgres.url)
  const { user, host, port, database, password } = peer.access
  await peer.query('create schema shop')
  await peer.query('create table shop.customers (id bigint primary key, email text)')
  await peer.query(`insert into shop.customers values (1, 'ada@example.com'), (2, null), (3, 'ada@example.com')`)
  await peer.query(`grant usage on schema shop to ${user}`)
  await peer.query(`grant select on shop.customers to ${user}`)
  const { workspace } = await createWorkspace(product.api, 'Reading')

  await page.goto(`/${workspace}/dataSources`)
  await page.getByRole('link', { name: 'Add data source' }).click()
  await page.getByRole('link', { name: /PostgreSQL/ }).click()
  await expect(page.getByText('GRANT SELECT ON ALL TABLES IN SCHEMA public TO tributary;')).toBeVisible()
  await page.getByLabel('Host').fill(host)
  await page.getByLabel('Port').fill(String(port))
  await page.getByRole('textbox', { name: /^Database/ }).fill(database)
  await page.getByRole('textbox', { name: /^User/ }).fill(user)
  await page.getByLabel(/^Password/).fill(password)
  await page.getByRole('combobox', { name: /^Encryption/ }).selectOption('None')
  await button(page, 'Create').click()

  await page.getByLabel('Search tables').fill('CUST')
  await page.getByRole('button', { name: /shop\.\s?customers/ }).click()
  const columns = page.getByRole('table', { name: 'Columns of shop.customers' })
  await expect(columns.getByRole('row')).toHaveCount(3)
  await expect(columns.getByText('Primary key')).toBeVisible()
  await page.getByRole('link', { name: 'Create model' }).click()
  await expect(page.getByRole('checkbox', { name: 'id' })).toBeChecked()

  await page.getByRole('radio', { name: 'SQL query' }).check()
  const editor = page.getByRole('textbox', { name: 'SQL query' })
  await expect(page.locator('.cm-editor')).toBeVisible()
  await button(page, 'Create').click()
  await expect(editor).toHaveAccessibleDescription(/Required$/)
  await editor.fill('select nothing from shop.customers')
  await button(page, 'Create').click()
  await expect(page.getByText('Please verify that the SQL Query is valid.', { exact: true })).toBeVisible()
  await expect(page.getByText('Line 1: column "nothing" does not exist (42703)')).toBeVisible()
  await editor.fill('select id, email from shop.customers')
  await button(page, 'Preview rows').click()
  await expect(page.getByRole('table', { name: 'Preview' }).getByRole('row')).toHaveCount(4)
  await page.getByRole('checkbox', { name: 'id' }).uncheck()
  await page.getByRole('checkbox', { name: 'email' }).check()
  await button(page, 'Check key').click()
  await expect(page.getByText('1 row has a null in the key. 2 rows share 1 key.')).toBeVisible()
  await page.getByRole('checkbox', { name: 'email' }).uncheck()
  await page.getByRole('checkbox', { name: 'id' }).check()
  await button(page, 'Check key').click()
  await expect(page.getByText('3 rows, each with a key of its own.')).toBeVisible()
  await button(page, 'Create').click()

  // The model is shown collapsed; then it is edited, and the change is discarded.
  await expect(page.getByText('Model Created')).toBeVisible()
  const query = page.locator('pre').and(page.getByLabel('SQL query'))
  await expect(query).toHaveText('select id, email from shop.customers')
  await expect(editor).toHaveCount(0)
  await button(page, 'Edit SQL query').click()
  await editor.fill('select 2')
  await button(page, 'Cancel').click()
  await expect(query).toHaveText('select id, email from shop.customers')

  peer.cut(true)
  await button(page, 'Preview rows').click()
  await expect(
    page.getByText(
      "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked.",
    ),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: 'Connection settings' })).toBeVisible()
  peer.cut()
  await button(page, 'Retry').click()
  await expect(page.getByRole('table', { name: 'Preview' }).getByRole('row')).toHaveCount(4)
})

test('a file is uploaded, refused because of an invalid row, replaced, and becomes a model', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Filing')
  const choose = (name: string, text: string) =>
    page.getByLabel('File to upload').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

  await page.goto(`/${workspace}/dataSources`)
  await page.getByRole('link', { name: 'Add data source' }).click()
  await page.getByRole('link', { name: /File upload/ }).click()
  await button(page, 'Create').click()
  await expect(button(page, 'Upload file')).toBeVisible()
  await choose('broken.csv', 'id,email\n1,ada@example.com\n2\n')
  await expect(page.getByText('broken.csv was not uploaded: Line 3 has 1 value, but there are 2 columns')).toBeVisible()
  await choose('customers.csv', 'id;email\n1;ada@example.com\n2;\n3;ada@example.com\n')
  const columns = page.getByRole('table', { name: 'Columns of customers.csv' })
  await expect(columns.getByRole('row')).toHaveCount(3)
  await expect(columns.getByText('bigint')).toBeVisible()
  await choose('newer.csv', 'id;email\n1;ada@example.com\n2;\n3;ada@example.com\n4;bob@example.com\n')
  await expect(page.getByText('4 rows, 66 bytes')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Uploads' }).getByRole('row')).toHaveCount(3)

  await page.getByRole('link', { name: 'Create model' }).click()
  await expect(page.getByRole('radio', { name: 'SQL query' })).toHaveCount(0)
  await button(page, 'Preview rows').click()
  await expect(page.getByRole('table', { name: 'Preview' }).getByRole('row')).toHaveCount(5)
  await page.getByRole('checkbox', { name: 'email' }).check()
  await button(page, 'Check key').click()
  await expect(page.getByText('1 row has a null in the key. 2 rows share 1 key.')).toBeVisible()
  await page.getByRole('checkbox', { name: 'email' }).uncheck()
  await page.getByRole('checkbox', { name: 'id' }).check()
  await button(page, 'Create').click()
  await expect(page.getByText('Model Created')).toBeVisible()
})

test('no part of data sources is shown while syncs are disabled', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Switched off')
  await page.route('**/ofrep/v1/evaluate/flags', (route) =>
    route.fulfill({ json: { flags: [{ key: 'syncs', value: false, reason: 'STATIC', variant: 'off' }] } }),
  )
  await page.goto(`/${workspace}/dataSources`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Data sources')).toHaveCount(0)
})
