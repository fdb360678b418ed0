import { type Browser, chromium as playwright } from '@playwright/test'
import chromium from '@sparticuz/chromium'

/** The browser of the tests: `CHROMIUM` if set, otherwise the one that comes as a package (unpacked once). */
export const chromiumPath = async (): Promise<string> => process.env.CHROMIUM ?? (await chromium.executablePath())

/**
 * Starts it. Only `--no-sandbox` is passed (tests may run as root): the package's own list of flags would make it a
 * single process and switch web security off, which hides CORS faults.
 */
export const launchChromium = async (): Promise<Browser> =>
  await playwright.launch({
    executablePath: await chromiumPath(),
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  })
