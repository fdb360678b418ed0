import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'browser',
  outputDir: '../.cache/playwright',
  fullyParallel: false,
  // A test often waits for its browser, its product or its stores, so three tests keep two processors busy.
  workers: 3,
  // A test that passes only when run again is listed as unsteady by `npm test`.
  retries: 1,
  forbidOnly: true,
  // An assertion fails after 45 s. The limit of a whole test is generous for a busy machine, because some tests take
  // most of a minute on an idle one.
  timeout: 240_000,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME === undefined ? [['list']] : [['list'], ['json']],
  globalSetup: './browser/global-setup.ts',
})
