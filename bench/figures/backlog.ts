import { startWebhookReceiver } from '@tributary/test-kit'
import { childOf, type Figure, residentBytes, runLoad } from '../harness.ts'
import { startBench } from '../product.ts'

const MiB = 1024 * 1024
const serverLimitMiB = 600
const childLimitMiB = 2048

/** Peak memory of the server process and of the event store's child while a backlog of a million events drains. */
export const measureBacklog = async (events: number): Promise<Figure[]> => {
  await using receiver = await startWebhookReceiver({ keepBodies: false })
  const bench = await startBench({
    webhook: { url: receiver.url, batching: true, batch_size: 100 },
    env: { TRIBUTARY_EVENT_STORE_MEMORY_MB: String(childLimitMiB) },
  })
  await using _ = bench.product
  const child = childOf(bench.product.pid, 'event-store')
  let server = 0
  let store = 0
  const sampler = setInterval(() => {
    server = Math.max(server, residentBytes(bench.product.pid))
    if (child !== undefined) store = Math.max(store, residentBytes(child))
  }, 100)
  try {
    const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100 }
    const report = await runLoad({ ...load, run: 'backlog', events })
    await bench.settle(600_000)
    const stored = await bench.stored()
    const complete = stored >= report.accepted && report.accepted >= events
    const figureOf = (figure: string, bytes: number, limitMiB: number): Figure => ({
      figure,
      target: `< ${limitMiB} MiB`,
      measured: `${Math.round(bytes / MiB)} MiB${complete ? '' : ` (${stored} of ${events} events stored)`}`,
      pass: complete && bytes > 0 && bytes < limitMiB * MiB,
    })
    return [
      figureOf(`server memory, backlog of ${events} events`, server, serverLimitMiB),
      figureOf('event store memory, same', store, childLimitMiB),
    ]
  } finally {
    clearInterval(sampler)
  }
}
