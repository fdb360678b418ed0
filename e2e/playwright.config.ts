import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'browser',
  outputDir: '../.cache/playwright',
  fullyParallel: false,
  // A test waits for its browser, its product and its stores by turns: three keep two processors busy.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  // An assertion gives up after 45 s. A whole test has room for a machine that is busy with other work: some take most of a
  // minute on an idle one.
  timeout: 240_000,
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME === undefined ? [['list']] : [['list'], ['json']],
  globalSetup: './browser/global-setup.ts',
})
