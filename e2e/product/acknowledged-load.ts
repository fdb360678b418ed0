import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { expect } from 'vitest'

/** The load of a run; the short run has less load than the long one (`npm run soak`). */
const load =
  Number(process.env.SOAK_ROUNDS ?? 0) === 0
    ? { workers: 2, batch: 5, pauseMs: 20 }
    : { workers: 4, batch: 20, pauseMs: 20 }

/** Sends batches until it is stopped or permanently refused; records exactly the acknowledged IDs. */
export const startLoad = (product: () => Product, key: string) => {
  const acknowledged = new Set<string>()
  let sent = 0
  let running = true
  const worker = async (): Promise<void> => {
    while (running) {
      const ids = Array.from({ length: load.batch }, () => `m-${sent++}`)
      try {
        const answer = await fetch(`${product().url}/v1/batch`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            batch: ids.map((messageId) => ({
              type: 'track',
              event: 'Load',
              userId: 'u',
              messageId,
              properties: { filler: 'x'.repeat(200) },
            })),
          }),
        })
        if (answer.status === 200) for (const id of ids) acknowledged.add(id)
      } catch {
        // The process was killed during the call, so nothing was acknowledged.
      }
      // Sends some hundreds of events per second, thousands in the long run. More would only make the counting at the
      // end slow.
      await new Promise((resolve) => setTimeout(resolve, load.pauseMs))
    }
  }
  const workers = Array.from({ length: load.workers }, worker)
  return {
    acknowledged,
    async stop(): Promise<void> {
      running = false
      await Promise.all(workers)
    },
  }
}

const allStored = async (product: Product, source: string): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  let token = ''
  do {
    const page = await product.api.ok(
      'GET',
      `/${source}/events?page_size=1000${token === '' ? '' : `&page_token=${token}`}`,
    )
    for (const { message_id } of page.events as { message_id: string }[])
      counts.set(message_id, (counts.get(message_id) ?? 0) + 1)
    token = page.next_page_token as string
  } while (token !== '')
  return counts
}

/** Asserts that every acknowledged event is stored once, and that every stored event reaches the receiver. */
export const expectNothingLost = async (
  product: Product,
  source: string,
  receiver: WebhookReceiver,
  acknowledged: ReadonlySet<string>,
): Promise<void> => {
  const stored = await eventually(
    'every acknowledged event stored',
    async () => {
      const counts = await allStored(product, source)
      return [...acknowledged].every((id) => counts.has(id)) && counts
    },
    60_000,
  )
  expect([...stored].filter(([, count]) => count !== 1)).toEqual([])
  await eventually(
    'every stored event delivered',
    () => [...stored.keys()].every((id) => receiver.messageIds().has(id)),
    60_000,
  )
}

/** Creates a source whose events are delivered to the receiver. */
export const prepare = async (product: Product, receiver: WebhookReceiver) => {
  await product.api.login(adminCredentials)
  const { workspace } = await createWorkspace(product.api)
  const made = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, made.source, { url: receiver.url, batching: true, batch_size: 100 })
  return made
}
