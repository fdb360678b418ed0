import type { Page } from '@playwright/test'

/** Chooses the schema of a new source. */
export const chooseSchema = async (page: Page, title = 'Blank schema'): Promise<void> => {
  await page.getByRole('combobox', { name: 'Schema' }).click()
  await page.getByRole('option', { name: title }).click()
}
