import type { Page } from '@playwright/test'
import type { RefusedRequest } from '@tributary/contract'

/** Number of frames without loading after which the page counts as complete, because a loaded file may load others. */
const quietFrames = 10

/** Resolves when the page loads nothing any more. */
export const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle')
  await page.evaluate(async (wanted) => {
    for (let quiet = 0; quiet < wanted; quiet++) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      if (document.querySelector('[aria-busy="true"]') !== null) quiet = 0
    }
  }, quietFrames)
}

/** Makes every call of the API whose path matches fail with the server's body for a fault. */
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

/** Fakes that requests of a source are refused at the moment, because the backlog of its workspace is full. */
export const backlogged = async (page: Page): Promise<void> => {
  const row: RefusedRequest = {
    source: '',
    source_title: '',
    source_deleted: false,
    key_hint: '',
    reason: 'WORKSPACE_BACKLOG',
    code: 429,
    count: 18_204,
    last_time: new Date().toISOString(),
    ongoing: true,
    message: 'The workspace has more unprocessed events than its share of the queue. Send the request again later.',
    sample: '',
  }
  await page.route(
    (url) => url.pathname.endsWith('/refusedRequests'),
    (route) => route.fulfill({ json: { refused_requests: [row], next_page_token: '' } }),
  )
}
