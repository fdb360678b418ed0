import type { Page, Route } from '@playwright/test'

/** A call of the page to the API: its path without the prefix, query included and decoded. */
export type ApiCall = { verb: string; path: string; body: unknown; authorization: string | undefined }

/** Records the calls of the page to the API from now on, in order. */
export const recordCalls = (page: Page): ApiCall[] => {
  const calls: ApiCall[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (!pathname.startsWith('/api/')) return
    calls.push({
      verb: request.method(),
      path: decodeURIComponent(`${pathname.slice('/api'.length)}${search}`),
      body: request.postDataJSON(),
      authorization: request.headers().authorization,
    })
  })
  return calls
}

/** Returns the calls whose path without query ends with `end`. */
export const callsTo = (calls: readonly ApiCall[], end: string): ApiCall[] =>
  calls.filter(({ path }) => path.split('?')[0]?.endsWith(end) === true)

/** Responds to a call of the page instead of the server, with the server's body for a refusal. */
export const refuse =
  (code: number, reason: string, message: string, metadata: Record<string, string> = {}) =>
  (route: Route): Promise<void> =>
    route.fulfill({ status: code, json: { code, reason, message, metadata } })

/** Handles calls of the page whose path ends with `end`, by calling `act`. */
export const onCall = (page: Page, end: string, act: (route: Route) => Promise<void>): Promise<void> =>
  page.route((url) => url.pathname.startsWith('/api/') && url.pathname.endsWith(end), act).then(() => undefined)

/**
 * Opens a page after signing in, and resolves when the page has the roles of its user. Before that, parts that depend
 * on a role are hidden from all users.
 */
export const openWithRoles = async (page: Page, path: string): Promise<void> => {
  const roles = page.waitForResponse(/\/memberships/)
  await page.goto(path)
  await (await roles).finished()
}
