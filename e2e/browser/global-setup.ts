import { buildServer } from '@tributary/test-kit'
import { chromiumPath } from './chromium.ts'

/** Unpacks the browser and builds the server before workers could race for it. */
export default async (): Promise<void> => {
  buildServer()
  await chromiumPath()
}
