import { prepareProducts } from '@tributary/test-kit'
import { chromiumPath } from './chromium.ts'

/**
 * Unpacks the browser, builds the server, and prepares the data of products before the workers start, which would
 * otherwise all do so concurrently. Returns what removes the data at the end.
 */
export default async (): Promise<(() => Promise<void>) | undefined> => {
  await chromiumPath()
  return await prepareProducts()
}
