import type { Locator, Page } from '@playwright/test'
import { createSource, createWorkspace, type Product, type TestSource } from '@tributary/test-kit'
import { expect } from './product-fixture.ts'
import { sendTracks, type Track } from './tracking.ts'

/** The part of the page that scrolls. */
export const area = (page: Page): Locator => page.getByRole('region', { name: 'Event list' })
/** The rows of the live table that are in the document, newest first. */
export const rows = (page: Page): Locator =>
  page.getByRole('table', { name: 'Live events' }).getByRole('rowgroup').last().getByRole('row')
/** Waits until the table has this many events; only the rows near the visible part are in the document. */
export const expectListed = (page: Page, count: number): Promise<void> =>
  expect(page.getByRole('table', { name: 'Live events' })).toHaveAttribute('aria-rowcount', String(count + 1))
/** Makes the window and the table so high that all 50 rows of the table are in the document. */
export const showEveryRow = async (page: Page): Promise<void> => {
  await page.setViewportSize({ width: 1280, height: 2600 })
  await page.getByRole('button', { name: 'Expand' }).click()
}
/** The floating button that reports new events. */
export const newEvents = (page: Page): Locator => page.getByRole('button', { name: /new events?$/ })
/** Scrolls, and waits until the page has handled the scroll event. */
export const scrollTo = (page: Page, top: number): Promise<void> =>
  area(page).evaluate(
    (element, y) =>
      new Promise<void>((resolve) => {
        element.addEventListener('scroll', () => resolve(), { once: true })
        element.scrollTo({ top: y })
      }),
    top,
  )

/** Returns `count` events with their number in the name and the message ID. */
export const numbered = (name: string, count: number): Track[] =>
  Array.from({ length: count }, (_, index) => ({ event: `${name} ${index + 1}`, messageId: `${name}-${index + 1}` }))

export type Live = TestSource & {
  /** Resource name of the organization. */
  organization: string
  send: (tracks: readonly Track[]) => Promise<void>
}

/**
 * Creates a source, and opens its page, which joins the live channel. `prepare` changes the source before the page is
 * opened.
 */
export const openLive = async (
  page: Page,
  product: Product,
  prepare: (source: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<Live> => {
  const { workspace, organization } = await createWorkspace(product.api, 'Live events')
  const made = await createSource(product.api, workspace, 'Shop')
  await prepare(made.source)
  await page.goto(`/${made.source}`)
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible()
  return {
    ...made,
    organization,
    send: async (tracks) => expect(await sendTracks(product.url, made.key, tracks)).toBe(200),
  }
}
