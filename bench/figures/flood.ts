import { setTimeout as pause } from 'node:timers/promises'
import {
  createPartitionMate,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { type Figure, percentile, runLoad } from '../harness.ts'
import { startBench } from '../product.ts'

const target = 3
/** Duration of the flood before the measurement starts, in ms. */
const beforeMs = 4000
const events = 60
const everyMs = 100

/**
 * Measures how long events of a workspace take to its webhook while another workspace of the same partition sends more
 * events than are processed. At the same time, the events of a workspace in another partition are measured for
 * comparison.
 */
export const measureFlood = async (): Promise<Figure[]> => {
  const bench = await startBench({})
  await using _ = bench.product
  const { api } = bench.product
  const quiet = async (workspace: string) => {
    const { source, key } = await createSource(api, workspace)
    const receiver = await startWebhookReceiver()
    await createWebhook(api, workspace, source, { url: receiver.url })
    return { key, receiver, sent: new Map<string, number>() }
  }
  const mate = await quiet((await createPartitionMate(api, bench.workspace)).workspace)
  const other = await quiet((await createWorkspace(api)).workspace)
  await using _mate = mate.receiver
  await using _other = other.receiver
  const flood = { port: bench.port, key: bench.key, connections: 8, eventsPerRequest: 100 }
  let flooding = true
  const flooded = (async () => {
    for (let round = 0; flooding; round++) await runLoad({ ...flood, run: `flood-${round}`, events: 50_000 })
  })()
  await pause(beforeMs)
  for (let index = 0; index < events; index++) {
    for (const { key, sent } of [mate, other]) {
      const messageId = `quiet-${index}`
      await fetch(`${bench.product.url}/v1/track`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'Bought', userId: 'u', messageId }),
      })
      sent.set(messageId, Date.now())
    }
    await pause(everyMs)
  }
  flooding = false
  await flooded
  for (const { receiver } of [mate, other])
    await eventually('the webhook to have all', () => receiver.messageIds().size === events, 120_000)
  const p95 = ({ receiver, sent }: typeof mate): number =>
    percentile(
      receiver.calls.map(({ body, time }) => {
        const { messageId } = JSON.parse(body) as { messageId: string }
        return time - (sent.get(messageId) ?? 0)
      }),
      0.95,
    )
  const [beside, elsewhere] = [p95(mate), p95(other)]
  const ratio = beside / elsewhere
  return [
    {
      figure: 'to the webhook, in the partition of a workspace that floods, p95',
      target: `<= ${target} times ${Math.round(elsewhere)} ms in another one`,
      measured: `${Math.round(beside)} ms`,
      ratio,
      pass: ratio <= target,
    },
  ]
}
