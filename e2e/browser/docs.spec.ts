import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

test("a documentation snippet that is copied with the chosen source's key and run sends an event to that source", async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Reads the docs')
  const { source, key } = await createSource(product.api, workspace, 'Till', 'http')
  const other = await createSource(product.api, workspace, 'Website', 'javascript')
  // If the page is opened from the source's own screen, the key of that source is filled in.
  await page.goto(`/${other.source}#setup`)
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Docs (opens in a new tab)' }).click()
  const docs = await opened
  await expect(docs.getByRole('combobox', { name: 'Source' })).toHaveValue(other.source)
  await expect(docs.getByRole('figure').first()).toContainText(`-u '${other.key}:'`)

  // The search works with the keyboard alone.
  await docs.keyboard.press('/')
  await docs.keyboard.type('one event with curl')
  const results = docs.getByRole('listbox', { name: 'Results' })
  const wanted = results.getByRole('option', { name: 'HTTP API › 1. Send one event' })
  await expect(wanted).toBeVisible()
  while ((await wanted.getAttribute('aria-selected')) !== 'true') await docs.keyboard.press('ArrowDown')
  await docs.keyboard.press('Enter')
  await expect(docs.getByRole('heading', { level: 1, name: 'HTTP API' })).toBeVisible()
  expect(new URL(docs.url()).hash).toBe('#1-send-one-event')

  // A source of the kind that the page is about comes first; the copied code has its key.
  const snippet = docs.getByRole('figure').first()
  await expect(docs.getByRole('combobox', { name: 'Source' })).toHaveValue(source)
  await expect(snippet).toContainText(`-u '${key}:'`)
  await snippet.getByRole('button', { name: 'Copy' }).click()
  await expect(docs.getByText('Snippet copied')).toBeAttached()
  const copied = await docs.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('bash', ['-c', copied])
  expect(JSON.parse(stdout)).toEqual({ success: true })
  await eventually('the event of the snippet', async () => {
    const { events } = await product.api.ok('GET', `/${source}/events`)
    return (events as { title: string }[]).some(({ title }) => title === 'Order Completed')
  })
})

test('documentation code contains no key when signed out, in another organization, or after the session ended', async ({
  page,
  product,
  database,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Not theirs')
  const { source, key } = await createSource(product.api, workspace, 'Secretive', 'http')
  const address = `/docs/sources/http?source=${encodeURIComponent(source)}`
  const code = page.getByRole('figure').first()
  await page.goto(address)
  await expect(page.getByText('to have the write key of your source filled in')).toBeVisible()
  await expect(code).toContainText(`curl ${product.url}/v1/track`)
  await expect(code).toContainText("-u 'YOUR_WRITE_KEY:'")

  const { organization } = await createWorkspace(product.api, 'Theirs')
  await signIn(page, await addPerson(database, 'Reader', { organization, role: 'ORG_GUEST' }))
  await page.goto(address)
  await expect(page.getByText('has no source yet')).toBeVisible()
  await expect(code).toContainText("-u 'YOUR_WRITE_KEY:'")
  expect(await page.content()).not.toContain(key)

  await page.evaluate(() => {
    const stored = JSON.parse(localStorage.getItem('tributary-session') ?? '{}')
    localStorage.setItem(
      'tributary-session',
      JSON.stringify({ ...stored, state: { ...stored.state, accessToken: 'ended' } }),
    )
  })
  await page.reload()
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await expect(code).toContainText("-u 'YOUR_WRITE_KEY:'")
})

test('on a phone, the documentation pages are behind a button, nothing scrolls sideways, and the chosen theme applies', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/docs/configuration')
  const sideways = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main *')]
        .filter((each) => each.tagName !== 'PRE' && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .map(({ tagName }) => tagName),
    )
  expect(await sideways()).toEqual([])
  const pages = page.getByRole('navigation', { name: 'Documentation' })
  await expect(pages).toBeHidden()
  await page.getByRole('button', { name: 'Menu' }).click()
  await pages.getByRole('link', { name: 'Operations' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  expect(await sideways()).toEqual([])
  await page.evaluate(() =>
    localStorage.setItem('tributary-ui', JSON.stringify({ state: { theme: 'dark' }, version: 1 })),
  )
  await page.goto('/docs/configuration')
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await sideways()).toEqual([])
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
})
