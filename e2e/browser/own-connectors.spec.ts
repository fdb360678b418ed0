import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name })

const publish = async (page: Page, version: number): Promise<void> => {
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill(`Note ${version}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText(`Version ${version} Published`)).toBeVisible()
}

test('a cURL command becomes a destination that is tried, published, used, changed, and exported', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Built')
  const { key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${workspace}/catalog-destinations`)
  await page.getByRole('searchbox', { name: 'Search destinations' }).fill('no such service')
  await page.getByRole('link', { name: 'Build a destination for it' }).click()
  const command = page.getByRole('textbox', { name: 'cURL command' })
  await command.fill(`curl -F image=@x.png ${receiver.url}/1/messages.json`)
  await page.getByRole('button', { name: 'Use this command' }).click()
  await expect(command).toHaveAccessibleDescription(/^Files in forms/)
  await command.fill(
    `curl -s ${receiver.url}/1/messages.json --json '{"token": "abc123", "user": "user123", "message": "hello world"}'`,
  )
  await page.getByRole('button', { name: 'Use this command' }).click()
  await expect(page).toHaveURL(/\/ownConnectors\/[0-9a-f-]{36}$/)
  await expect(page.getByText('No problems. It can be published.')).toBeVisible()

  await tab(page, 'Try it').click()
  // The form is higher than this page, and the outcome comes into view.
  await page.setViewportSize({ width: 1280, height: 500 })
  await page.getByLabel('Token').fill('secret-token-1')
  await page.getByLabel('Token').press('Enter')
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result.getByText('Delivered')).toBeInViewport()
  await page.setViewportSize({ width: 1280, height: 720 })
  await expect(result).not.toContainText('secret-token-1')
  expect(receiver.calls.at(-1)?.body).toContain('"token":"secret-token-1"')
  await page.getByRole('button', { name: 'Keep as vector' }).click()
  await expect(page.getByText('Kept as Vector')).toBeVisible()
  await page.keyboard.press('Control+s')
  await expect(page.getByText('Draft Saved')).toBeVisible()
  await tab(page, 'Vectors').click()
  await expect(page.getByRole('list', { name: 'Vectors' })).toContainText('Tried send passes')
  await publish(page, 1)

  await page.getByRole('link', { name: 'Add destination' }).click()
  // The page before has a title, too.
  await expect(page.getByText('Deliver events to New destination.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Title' }).fill('Messages')
  await page.getByLabel('Token').fill('secret-token-2')
  await page.getByRole('checkbox', { name: 'Shop' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText('Destination Created')).toBeVisible()
  const send = async (event: string): Promise<void> => {
    const answer = await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ event, userId: 'ada', properties: {} }),
    })
    expect(answer.status).toBe(200)
  }
  await send('First')
  const first = await eventually('the event', () => receiver.calls.find(({ body }) => body.includes('secret-token-2')))
  expect(JSON.parse(first.body)).toMatchObject({ user: 'user123', message: 'hello world' })

  await page.goto(`/${workspace}/ownConnectors`)
  await page.getByRole('link', { name: 'New destination' }).click()
  const editor = page.getByRole('textbox', { name: 'Description as JSON' })
  await editor.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('x')
  await expect(tab(page, /^Problems 1$/)).toBeVisible()
  await page.keyboard.press('Backspace')
  await page.getByRole('tab', { name: 'Guide' }).click()
  await page.getByRole('textbox', { name: 'Guide' }).fill('## Create a token\nOpen the settings.')
  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Sources' }).click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Draft Saved')).toBeVisible()
  await publish(page, 2)
  await tab(page, 'Versions').click()
  await expect(page.getByRole('list', { name: 'Versions' }).getByRole('listitem')).toHaveCount(2)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const file = readFileSync(await (await download).path(), 'utf8')
  expect(JSON.parse(file)).toMatchObject({
    tributary_own_connector: 1,
    guide: expect.stringContaining('Create a token'),
  })
  expect(file).not.toMatch(/secret-token-[12]/)
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Messages' })).toBeVisible()
})
