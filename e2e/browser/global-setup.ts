import { chromiumPath } from './chromium.ts'

/** Unpacks the browser before workers could race for it. */
export default async (): Promise<void> => {
  await chromiumPath()
}
