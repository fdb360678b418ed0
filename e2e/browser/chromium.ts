import { type Browser, chromium as playwright } from '@playwright/test'
import chromium from '@sparticuz/chromium'

/**
 * Returns the path of the tests' browser: `CHROMIUM` if set, otherwise the browser that comes as a package and is
 * unpacked once.
 */
export const chromiumPath = async (): Promise<string> => process.env.CHROMIUM ?? (await chromium.executablePath())

/**
 * Starts the browser with these options in addition. Tests may run as root, so it has no sandbox. The package's own
 * options would use a single process and disable web security, which hides CORS faults.
 */
export const launchChromium = async (...options: string[]): Promise<Browser> =>
  await playwright.launch({
    executablePath: await chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      ...options,
    ],
  })
