import type { Page } from '@playwright/test'

/** Changes the address of the page like a step back in the history, without loading the document again. */
export const changeAddress = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
