import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectNothingLost, prepare, startLoad } from './acknowledged-load.ts'

let dataDir: string
let receiver: WebhookReceiver
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-crash-'))
  receiver = await startWebhookReceiver({ keepBodies: false })
})
afterEach(async () => {
  await receiver.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** Rounds of the long run (`npm run soak`). The short run has 0, and only a few fixed kills under less load. */
const rounds = Number(process.env.SOAK_ROUNDS ?? 0)

const childPids = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false
      }
    })
    .map(Number)

/** Kills a process; returns false if it has already ended, for example with its parent. */
const killed = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/**
 * The points at which the process kills itself, like SIGKILL: between making data durable and confirming it. The crash
 * tests of pipeline and delivery use all of them. The short run uses one point of each with the whole product.
 */
const faultPoints = [
  'pipeline.after-deliveries-append',
  'delivery.before-commit',
  ...(rounds === 0
    ? []
    : ['pipeline.after-begin', 'pipeline.after-insert', 'pipeline.before-commit', 'delivery.after-request']),
]

test('if the product is killed at fault points under load, acknowledged events are stored exactly once and delivered at least once', async () => {
  const startWith = (point: string): Promise<Product> =>
    startProduct({ dataDir, env: { TRIBUTARY_FAULT: `${point}:3` } })
  const [firstPoint = '', ...points] = faultPoints
  // Nothing is sent yet, so the fault does not occur.
  let product = await startWith(firstPoint)
  const { source, key } = await prepare(product, receiver)
  const sending = startLoad(() => product, key)
  await product.ended
  for (const point of points) {
    product = await startWith(point).catch((error: unknown) => {
      // The fault may occur during the recovery from the previous kill. A killed process has no exit code.
      if (!String(error).includes('ended with null before it was ready')) throw error
      return product
    })
    await product.ended
  }
  product = await startProduct({ dataDir })
  await sending.stop()
  await product.api.login(adminCredentials)
  await expectNothingLost(product, source, receiver, sending.acknowledged)
  await product.stop()
})

/** Times of the kills, in ms after load is acknowledged again: one fixed time, or `rounds` random times. */
const pauses = rounds === 0 ? [400] : Array.from({ length: rounds }, () => Math.random() * 2000)

test(
  'if the product or one engine is killed under load, everything restarts, and no acknowledged event is lost or stored twice',
  async () => {
    let product = await startProduct({ dataDir })
    const { source, key } = await prepare(product, receiver)
    const sending = startLoad(() => product, key)
    const goesOn = (what: string): Promise<boolean> => {
      const before = sending.acknowledged.size
      return eventually(what, () => sending.acknowledged.size > before + 20)
    }
    for (const pause of pauses) {
      await goesOn('load is acknowledged')
      await new Promise((resolve) => setTimeout(resolve, pause))
      const children = childPids(product.pid)
      await product.kill()
      children.forEach(killed)
      product = await startProduct({ dataDir })
    }
    const engines = childPids(product.pid)
    expect(engines.length).toBeGreaterThanOrEqual(2)
    for (const pid of engines) {
      if (!killed(pid)) continue
      await goesOn('collection goes on')
      await eventually('ready again', async () => (await fetch(`${product.url}/health/ready`)).status === 200, 30_000)
    }
    await sending.stop()
    // The first call may still use a connection that broke together with its engine.
    await eventually('signed in', () =>
      product.api.login(adminCredentials).then(
        () => true,
        () => false,
      ),
    )
    await expectNothingLost(product, source, receiver, sending.acknowledged)
    expect(await product.stop()).toBe(0)
  },
  180_000 + rounds * 30_000,
)
