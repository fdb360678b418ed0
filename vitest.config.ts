import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const common = {
  pool: 'forks',
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A busy machine is no failure; what is polled for and never comes still is.
  expect: { poll: { timeout: 30_000 } },
} as const

const productTests = (...names: string[]): string[] => names.map((name) => `e2e/product/${name}.test.ts`)

/** Files that load the machine, or ask how long something takes, one after the other. */
const aloneOnTheMachine = productTests('engines-away', 'isolation', 'lifecycle', 'processes')

/** Files that need nothing of a product but that it runs. */
const inOneProduct = productTests(
  'audiences',
  'dead-replays',
  'forwarded-on',
  'forwarders',
  'mappings',
  'oauth-destinations',
  'schema',
  'sdks',
  'source-schemas',
  'webhook-sources',
)

/** A product that is started is built of the sources as they are. */
const builtServer = 'packages/test-kit/src/built-server.ts'

/** The same, and products begin with copies of a folder that one has made, unless they ask for an empty one. */
const productSetup = 'packages/test-kit/src/vitest-product-setup.ts'

/** Files that take longest, which begin first: at the end of a run one of them would have the machine to itself. */
const longest = productTests(
  'standby',
  'durability',
  'power-loss',
  'lost-folder',
  'collectors',
  'syncs-killed',
  'operations',
  'starts',
  'privacy-stores',
  'privacy',
  'storage-destinations',
  'mail',
  'bad-input',
  'replays',
  'sdks',
)

/** Tests of the web application that render nothing: their first line does not request a page. */
const webLogic = globSync('apps/web/src/**/*.test.{ts,tsx}', { cwd: import.meta.dirname }).filter(
  (file) => !readFileSync(join(import.meta.dirname, file), 'utf8').startsWith('// @vitest-environment'),
)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'connectors/**/*.test.ts',
            'apps/server/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          globalSetup: ['packages/test-kit/src/vitest-global-setup.ts'],
          // Loading modules anew for each of 200 files took a third of the processor time.
          isolate: false,
          // Many tests wait for a child or an engine: three files keep two cores busy.
          maxWorkers: 3,
        },
      },
      {
        // Its modules keep state, as they do in a browser's page: each file has them, and the globals, to itself. A context
        // of a process that stays does that; a process for each file took twice the processor time.
        test: {
          ...common,
          name: 'web',
          include: ['apps/web/src/**/*.test.{ts,tsx}'],
          exclude: webLogic,
          setupFiles: ['apps/web/src/testing/set-up-file.ts'],
          pool: 'vmForks',
          vmMemoryLimit: '768MB',
          maxWorkers: 3,
        },
      },
      {
        // These need no page. So files share the modules that a worker has loaded.
        test: { ...common, name: 'web-logic', include: webLogic, isolate: false, maxWorkers: 3 },
      },
      {
        // The whole product, started as a user starts it. A product waits more than it works: four files at a time.
        test: {
          ...common,
          name: 'product',
          include: ['e2e/product/**/*.test.ts'],
          exclude: [...aloneOnTheMachine, ...inOneProduct],
          globalSetup: [productSetup],
          testTimeout: 300_000,
          // The modules that drive a product have no state: they are loaded once for each of the workers, not for each file.
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'product-shared',
          include: inOneProduct,
          globalSetup: [productSetup, 'e2e/product/shared-product.ts'],
          testTimeout: 300_000,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'product-alone',
          include: aloneOnTheMachine,
          fileParallelism: false,
          globalSetup: [productSetup],
          testTimeout: 300_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Long faults of several processes and brokers: a part of `npm run soak`.
        test: {
          ...common,
          name: 'soak',
          include: ['e2e/soak/**/*.test.ts'],
          globalSetup: [builtServer],
          testTimeout: 3_600_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        // Set-up pages with SDKs of other languages, from their registries: a part of `npm run soak`.
        test: {
          ...common,
          name: 'languages',
          include: ['e2e/languages/**/*.test.ts'],
          globalSetup: [builtServer],
          testTimeout: 600_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
