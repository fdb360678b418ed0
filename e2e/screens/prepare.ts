import type { Page } from '@playwright/test'

/** Resolves when nothing is being loaded any more. */
export const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
}

/** Every call of the API whose path matches fails with the body that the server gives for a fault. */
export const failing =
  (pattern: RegExp, status = 500) =>
  async (page: Page): Promise<void> => {
    const message =
      status === 404
        ? 'The resource was not found'
        : status === 403
          ? 'You are not authorized to do this'
          : 'Internal error'
    await page.route(
      (url) => pattern.test(url.pathname),
      (route) =>
        route.fulfill({
          status,
          contentType: 'application/json',
          body: JSON.stringify({ code: status, reason: 'FAILED', message, metadata: {} }),
        }),
    )
  }
