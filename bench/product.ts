import { setTimeout as pause } from 'node:timers/promises'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { metric, startEnvironment } from './harness.ts'

/** A running product with an organization, a source, a write key and, if requested, a connected webhook. */
export type Bench = {
  product: Product
  port: number
  workspace: string
  sourceId: string
  key: string
  /** Returns the number of rows that are stored in the event store so far. */
  stored(): Promise<number>
  /** Returns the time when the event store last acknowledged rows, in ms of `performance.now()`. */
  lastStored(): Promise<number>
  /** Resolves when all accepted events are stored. */
  settle(deadlineMs?: number): Promise<void>
}

const rowsStored = (url: string): Promise<number> => metric(url, 'tributary_pipeline_rows_stored_total')

/** Resolves when all events that a running product has accepted are stored. */
export const settleProduct = async (url: string, deadlineMs = 300_000): Promise<void> => {
  // The gauges are refreshed about once a second, so only an unchanged value is certain. Each query takes milliseconds
  // of the product, which would count as time for events.
  let before = -1
  let quietSince = performance.now()
  await eventually(
    'the pipeline to come to rest',
    async () => {
      const now = await rowsStored(url)
      const lag = await metric(url, 'tributary_pipeline_lag_records')
      if (now !== before || lag > 0) quietSince = performance.now()
      before = now
      if (performance.now() - quietSince > 2000) return true
      await pause(500)
      return false
    },
    deadlineMs,
  )
}

/** Resolves when profiles have read `count` events. Polls rarely, for the same reason as `settleProduct`. */
export const profilesKnow = async ({ product }: Pick<Bench, 'product'>, count: number): Promise<void> => {
  await eventually(
    'profiles of all events',
    async () => {
      if ((await metric(product.url, 'tributary_profile_events_total')) >= count) return true
      await pause(500)
      return false
    },
    600_000,
  )
}

/** Environment variables of a product under load. */
export const benchEnvironment: Record<string, string> = {
  ...startEnvironment,
  // With the default, a load without pauses would reach the limit of a workspace, which is not measured here.
  TRIBUTARY_WORKSPACE_BACKLOG_MB: '16384',
  TRIBUTARY_LOG_LEVEL: 'warn',
}

/** The contents of a product: a workspace, a source, and its key. */
export type Contents = Pick<Bench, 'workspace' | 'sourceId' | 'key'>

const benchOf = (product: Product, contents: Contents): Bench => ({
  ...contents,
  product,
  port: Number(new URL(product.url).port),
  stored: () => rowsStored(product.url),
  lastStored: async () =>
    (await metric(product.url, 'tributary_pipeline_last_stored_seconds')) * 1000 - performance.timeOrigin,
  settle: (deadlineMs) => settleProduct(product.url, deadlineMs),
})

type BenchOptions = {
  dataDir?: string
  env?: Record<string, string>
  webhook?: Record<string, unknown>
  /** The command that Node runs, such as the product with stand-ins for vendors. */
  command?: readonly string[]
}

const startWith = async (
  { dataDir, env, command }: BenchOptions,
  contentsOf: (product: Product) => Promise<Contents>,
): Promise<Bench> => {
  const product = await startProduct({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(command === undefined ? {} : { command }),
    env: { ...benchEnvironment, ...env },
  })
  try {
    await product.api.login(adminCredentials)
    return benchOf(product, await contentsOf(product))
  } catch (error) {
    await product[Symbol.asyncDispose]()
    throw error
  }
}

/** Starts the product as a user does and sets it up through its API. */
export const startBench = (options: BenchOptions): Promise<Bench> =>
  startWith(options, async ({ api }) => {
    const { workspace } = await createWorkspace(api, 'Bench')
    const { source, sourceId, key } = await createSource(api, workspace, 'Load')
    if (options.webhook !== undefined) await createWebhook(api, workspace, source, options.webhook)
    return { workspace, sourceId, key }
  })

/** Starts the product on a data folder that has these contents. */
export const continueBench = ({ workspace, sourceId, key }: Contents, options: BenchOptions): Promise<Bench> =>
  startWith(options, async () => ({ workspace, sourceId, key }))
