import type { Page } from '@playwright/test'
import { createDestination, createSource, createWorkspace, startClickHouse } from '@tributary/test-kit'
import { findClippedText, findCutControls, findHorizontalScroll, findOverfullCells } from '../screens/layout-checks.ts'
import { onCall } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

const faults = [findHorizontalScroll, findClippedText, findCutControls, findOverfullCells]

/** Returns what sticks out or is cut off at 390 and 1440 px. */
const findLayoutFaults = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const find of faults) found.push(...(await find(page)).map((fault) => `${width} px: ${fault}`))
  }
  return found
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })

test('a warehouse is loaded on request, its tables are shown, and a column gets another type', async ({
  signedIn: page,
  product,
}) => {
  await using warehouse = await startClickHouse()
  const { workspace } = await createWorkspace(product.api, 'Analysts')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = String(
    (
      await product.api.ok('POST', `/${workspace}/destinations`, {
        title: 'Analysts’ ClickHouse',
        app: { name: 'catalogDestinations/clickhouse' },
        settings: { ...warehouse.access, tls: 'off', load_minutes: '60' },
      })
    ).name,
  )
  await page.goto(`/${destination}#loads`)
  await expect(tab(page, 'Loads')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('heading', { name: 'No loads yet' })).toBeVisible()
  await product.api.ok('POST', `/${workspace}/connections`, { source, destination })
  const events = ['n/a', '12.50', '7'].map((total, n) => ({
    event: 'Order Completed',
    messageId: `loaded-${n}`,
    properties: { total },
  }))
  expect(await sendTracks(product.url, key, events)).toBe(200)
  await expect
    .poll(
      async () =>
        (
          await warehouse
            .query<{ staged: string }>(
              "select count() as staged from company.tributary_stage where table_name = 'order_completed'",
            )
            .catch(() => [])
        ).map(({ staged }) => Number(staged)),
      { timeout: 60_000 },
    )
    .toEqual([3])

  await page.getByRole('button', { name: 'Load now' }).click()
  const load = page.getByRole('table', { name: 'Loads' }).getByRole('row', { name: /^Load/ })
  await expect(load).toContainText('Succeeded')
  await expect(load).toContainText('6 rows in 2 tables')
  await expect(page.getByRole('heading', { name: /^Complete up to / })).toBeVisible()
  expect(await findLayoutFaults(page)).toEqual([])
  await load.click()
  const details = page.getByRole('dialog', { name: 'Load' })
  await expect(details.getByRole('region', { name: 'Rows by table' })).toContainText('order_completed3')
  expect(await findLayoutFaults(page)).toEqual([])
  await details.getByRole('button', { name: 'Close', exact: true }).click()

  await tab(page, 'Tables').click()
  await page.getByLabel('Search tables and columns').fill('ORDER_C')
  await page.getByRole('button', { name: /^order_completed/ }).click()
  const columns = page.getByRole('table', { name: 'Columns of order_completed' })
  const total = columns.getByRole('row', { name: /^total/ })
  await expect(total).toContainText('String')
  await expect(columns.getByRole('row', { name: /^id/ })).toContainText('Fixed')
  expect(await findLayoutFaults(page)).toEqual([])
  await total.getByRole('button', { name: 'Change total' }).click()
  await page.getByRole('menuitem', { name: 'Drop column' }).click()
  const question = page.getByRole('dialog', { name: 'Drop the column total?' })
  await expect(question).toContainText('New events that have it make the column again.')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await total.getByRole('button', { name: 'Change total' }).click()
  await page.getByRole('menuitem', { name: 'Change type' }).click()
  const form = page.getByRole('dialog', { name: 'Change type' })
  await form.getByLabel('New type').selectOption('Float64')
  await expect(form.getByText('2 of 3 values convert. 1 value moves to extra_properties.')).toBeVisible()
  await expect(form.getByText('n/a')).toBeVisible()
  expect(await findLayoutFaults(page)).toEqual([])
  await form.getByRole('button', { name: 'Change type' }).click()

  // The history opens, and shows the change until it is done.
  const change = page
    .getByRole('table', { name: 'Loads' })
    .getByRole('row', { name: /Type changed: order_completed\.total to Float64/ })
  await expect(change).toContainText('Succeeded')
  await tab(page, 'Tables').click()
  await page.getByRole('button', { name: /^order_completed/ }).click()
  await expect(total).toContainText('Float64')
  expect(
    await warehouse.query('select id, total, extra_properties from company.order_completed order by id'),
  ).toMatchObject([
    { id: 'loaded-0', total: null, extra_properties: expect.stringContaining('total') },
    { id: 'loaded-1', total: 12.5 },
    { id: 'loaded-2', total: 7 },
  ])
})

test('a failed load, the cost, and the comparison of a day are shown, and the words of a warehouse that is away', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Far analysts')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createDestination(product.api, workspace, source, {
    app: 'clickhouse',
    title: 'Far away',
    settings: { host: '127.0.0.1', port: 9, database: 'company', user: 'reader', password: 'none', tls: 'off' },
  })
  const time = new Date(Date.now() - 20 * 60_000).toISOString()
  const work = {
    kind: 'load',
    change: '',
    state: 'succeeded',
    trigger: 'schedule',
    creator: null,
    create_time: time,
    start_time: time,
    finish_time: new Date(Date.parse(time) + 65_000).toISOString(),
    tables: [],
    row_count: 0,
    bytes: 0,
    unfit_count: 0,
    attempts: 1,
    reason: '',
    statement: '',
  }
  const statement =
    'INSERT INTO "company"."order_completed_in_the_shop_of_the_second_floor" SELECT row_values FROM "company"."tributary_stage"'
  await onCall(page, '/warehouseLoads', (route) =>
    route.fulfill({
      json: {
        warehouse_loads: [
          {
            ...work,
            name: `${destination}/warehouseLoads/3`,
            state: 'failed',
            attempts: 6,
            reason:
              'Code: 497. reader: Not enough privileges. To execute this query, it is necessary to have the grant INSERT (ACCESS_DENIED)',
            statement,
          },
          {
            ...work,
            name: `${destination}/warehouseLoads/2`,
            kind: 'change_type',
            change: 'order_completed_in_the_shop_of_the_second_floor.total_with_taxes to Decimal(38, 10)',
            trigger: 'user',
            creator: { name: 'users/1', display_name: 'Ada Lovelace' },
          },
          {
            ...work,
            name: `${destination}/warehouseLoads/1`,
            row_count: 1234567,
            bytes: 345678901,
            unfit_count: 12,
            tables: [
              { table: 'tracks', row_count: 1034567 },
              { table: 'order_completed_in_the_shop_of_the_second_floor', row_count: 200000 },
            ],
          },
        ],
        next_page_token: '',
      },
    }),
  )
  await onCall(page, '/warehouseLoads:status', (route) =>
    route.fulfill({
      json: {
        every_minutes: 60,
        billed: true,
        next_load_time: new Date(Date.now() + 25 * 60_000).toISOString(),
        complete_time: new Date(Date.now() - 26 * 3_600_000).toISOString(),
        waiting_event_count: 1204,
        loads_last_day: 24,
        seconds_last_day: 1560,
        comparison: {
          day: '2026-03-01',
          compare_time: time,
          reason: '',
          tables: [
            { table: 'tracks', event_count: 1034567, row_count: 1034567 },
            { table: 'order_completed_in_the_shop_of_the_second_floor', event_count: 200000, row_count: 199990 },
          ],
        },
      },
    }),
  )
  await page.goto(`/${destination}#loads`)
  await expect(page.getByText('Expected 24 loads a day, about 26 minutes of running time.')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('The last load failed: Code: 497.')
  expect(await findLayoutFaults(page)).toEqual([])
  await page.getByRole('row', { name: /Failed/ }).click()
  const details = page.getByRole('dialog', { name: 'Load' })
  await expect(details.getByText(statement)).toBeVisible()
  expect(await findLayoutFaults(page)).toEqual([])
  await details.getByRole('button', { name: 'Copy Statement' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(statement)
  await details.getByRole('button', { name: 'Close', exact: true }).click()

  await page.getByRole('tab', { name: 'Comparison 1 different' }).click()
  const rows = page.getByRole('table', { name: 'Comparison' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('10 missing')
  await expect(rows.nth(2)).toContainText('Equal')
  expect(await findLayoutFaults(page)).toEqual([])
  await page.reload()
  await expect(page.getByRole('table', { name: 'Comparison' })).toBeVisible()

  await tab(page, 'Tables').click()
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible()
  await expect(page.getByText(/ECONNREFUSED|refused/).first()).toBeVisible()
  expect(await findLayoutFaults(page)).toEqual([])
})
