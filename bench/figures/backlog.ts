import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWebhook, eventually, startProduct, startWebhookReceiver } from '@tributary/test-kit'
import { childOf, type Figure, metric, peakResidentBytes, runLoad, thousands } from '../harness.ts'
import { mapOrders } from '../mapping.ts'
import { benchEnvironment, settleProduct, startBench } from '../product.ts'

const MiB = 1024 * 1024
const serverLimitMiB = 600
const childLimitMiB = 2048

/**
 * Collects events while only the roles `api` and `collect` run, and then stops the product, so that all events wait in
 * the log.
 */
const makeBacklog = async (dataDir: string, url: string, events: number, mapped: boolean): Promise<number> => {
  const bench = await startBench({ dataDir, env: { TRIBUTARY_ROLES: 'api,collect' } })
  await using _ = bench.product
  const { api } = bench.product
  const source = `${bench.workspace}/sources/${bench.sourceId}`
  const settings = { url, batching: true, batch_size: 100 }
  const destination = await createWebhook(api, bench.workspace, source, settings)
  if (mapped) await mapOrders(api, destination)
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100 }
  return (await runLoad({ ...load, run: 'backlog', events })).accepted
}

/**
 * Measures the peak memory of the server process and of the event store's child (VmHWM of Linux) while they process a
 * backlog that existed before they started. With `mapped` the webhook gets the mapped events. Ends when all events are
 * stored and the webhook has them.
 */
export const measureBacklog = async (events: number, mapped = false): Promise<Figure[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  await using receiver = await startWebhookReceiver({ keepBodies: false })
  try {
    const accepted = await makeBacklog(dataDir, receiver.url, events, mapped)
    const began = performance.now()
    await using product = await startProduct({
      dataDir,
      env: { ...benchEnvironment, TRIBUTARY_EVENT_STORE_MEMORY_MB: String(childLimitMiB) },
    })
    const child = childOf(product.pid, 'event-store')
    await settleProduct(product.url, 600_000)
    const seconds = (performance.now() - began) / 1000
    const reached = (): boolean => receiver.messageIds().size === accepted
    const delivered = await eventually('the webhook to have all', reached, 300_000).catch(() => false)
    const drained = (performance.now() - began) / 1000
    const stored = await metric(product.url, 'tributary_pipeline_rows_stored_total')
    const complete = stored === accepted && accepted >= events && delivered !== false
    const way = mapped ? ', mapped' : ''
    process.stdout.write(
      `backlog: ${accepted} events drained in ${seconds.toFixed(0)} s (${thousands(accepted / seconds)}/s), ${receiver.messageIds().size} at the webhook after ${drained.toFixed(0)} s\n`,
    )
    const figureOf = (figure: string, bytes: number, limitMiB: number): Figure => ({
      figure,
      target: `< ${limitMiB} MiB`,
      measured: `${Math.round(bytes / MiB)} MiB${complete ? '' : ` (${stored} of ${accepted} events stored, ${receiver.messageIds().size} delivered)`}`,
      pass: complete && bytes > 0 && bytes < limitMiB * MiB,
    })
    return [
      figureOf(`server memory, backlog of ${events} events${way}`, peakResidentBytes(product.pid), serverLimitMiB),
      figureOf(`event store memory, same${way}`, child === undefined ? 0 : peakResidentBytes(child), childLimitMiB),
    ]
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
