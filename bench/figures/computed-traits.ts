import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@tributary/test-kit'
import { type Figure, median, percentile, runLoad, thousands } from '../harness.ts'
import type { Bench } from '../product.ts'

const targetMs = 5000
/**
 * Number of other events per second during the measurement. Nearly each of them changes the trait of another person.
 */
const rate = 1000
const callsPerSecond = 4

/**
 * Measures the time from the call of an event to its effect on a computed trait in the Profile API. Meanwhile, other
 * events change the same trait of the given number of people.
 */
export const measureComputedTraits = async (bench: Bench, people: number, seconds: number): Promise<Figure> => {
  const { port, key, product, workspace } = bench
  const made = await product.api.ok('POST', `/${workspace}/profileKeys`, { kind: 'secret', title: 'Computed traits' })
  const profileKey = { authorization: `Basic ${btoa(`${String(made.key)}:`)}` }
  const definition = { event: 'Order Completed', operation: 'count', property: '', window_days: 30, conditions: [] }
  const trait = await product.api.ok('POST', `/${workspace}/computedTraits`, { trait: 'orders', definition })
  const isLive = async (): Promise<boolean> =>
    (await product.api.ok('GET', `/${String(trait.name)}`))['state'] === 'live'
  await eventually('the first pass over everybody', isLive, 120_000)
  const waits: number[] = []
  const order = async (userId: string): Promise<void> => {
    const began = performance.now()
    await fetch(`${product.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId, messageId: userId, event: 'Order Completed', properties: { total: 1 } }),
    })
    const path = `${product.url}/profiles/v1/user_id:${userId}/traits?include=orders`
    for (;;) {
      const response = await fetch(path, { headers: profileKey })
      if ((await response.text()).includes('"orders":1')) break
      await pause(100)
    }
    waits.push(performance.now() - began)
  }
  const loading = runLoad({ port, key, connections: 4, eventsPerRequest: 20, rate, people, run: 'computed', seconds })
  await pause(2000)
  const orders: Promise<void>[] = []
  for (let n = 0; n < (seconds - 2) * callsPerSecond; n++) {
    orders.push(order(`buyer-${n}`))
    await pause(1000 / callsPerSecond)
  }
  await Promise.all(orders)
  const { accepted } = await loading
  const p95 = percentile(waits, 0.95)
  return {
    figure: `from a call to the computed trait, at ${thousands(rate)} events/s`,
    target: `p95 < ${targetMs / 1000} s`,
    measured: `${(p95 / 1000).toFixed(2)} s (median ${(median(waits) / 1000).toFixed(2)} s of ${waits.length}; ${thousands(accepted / seconds)}/s)`,
    pass: p95 < targetMs,
  }
}
