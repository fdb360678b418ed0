import { defineConfig } from 'vitest/config'

const common = {
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // A busy machine is no failure; what is polled for and never comes still is.
  expect: { poll: { timeout: 10_000 } },
} as const

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'connectors/**/*.test.ts',
            'apps/*/src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.ts',
          ],
          globalSetup: ['packages/test-kit/src/vitest-global-setup.ts'],
        },
      },
      {
        // The whole product, started as a user starts it: one file at a time, since each takes the machine.
        test: {
          ...common,
          name: 'product',
          include: ['e2e/product/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
        },
      },
    ],
  },
})
