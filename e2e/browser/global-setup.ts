import { buildServer } from '@tributary/test-kit'
import { chromiumPath } from './chromium.ts'

/** Unpacks the browser and builds the server before the workers start, which would otherwise all do so concurrently. */
export default async (): Promise<void> => {
  buildServer()
  await chromiumPath()
}
