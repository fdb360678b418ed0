import type { Page } from '@playwright/test'

/** Takes the page to another address as going back in the history would: without loading the document again. */
export const changeAddress = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
