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

/** Rounds of the long run (`npm run soak`). The short run has 0, and only kills at fault points under less load. */
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

/** Times of more kills, in ms after load is acknowledged again: `rounds` random times. */
const pauses = Array.from({ length: rounds }, () => Math.random() * 2000)

test(
  'if the product is killed at fault points, or one engine, under load, everything restarts, and acknowledged events are stored exactly once and delivered at least once',
  async () => {
    let product: Product | undefined
    const startWith = async (point: string): Promise<Product> => {
      const env: Record<string, string> = point === '' ? {} : { TRIBUTARY_FAULT: `${point}:3` }
      product = await startProduct({ dataDir, env })
      return product
    }
    const [firstPoint = '', ...points] = faultPoints
    // Nothing is sent yet, so the fault does not occur.
    const first = await startWith(firstPoint)
    const { source, key } = await prepare(first, receiver)
    const sending = startLoad(() => product ?? first, key)
    const goesOn = (what: string): Promise<boolean> => {
      const before = sending.acknowledged.size
      return eventually(what, () => sending.acknowledged.size > before + 20)
    }
    /** Waits until a product is killed, and kills the engines that it leaves. */
    const killedWithEngines = async (killing: Product): Promise<void> => {
      const children = childPids(killing.pid)
      await killing.ended
      children.forEach(killed)
    }
    await killedWithEngines(first)
    for (const point of points) {
      const doomed = await startWith(point).catch((error: unknown) => {
        // The fault may occur during the recovery from the previous kill. A killed process has no exit code.
        if (!String(error).includes('ended with null before it was ready')) throw error
      })
      if (doomed !== undefined) await killedWithEngines(doomed)
    }
    let last = await startWith('')
    for (const pause of pauses) {
      await goesOn('load is acknowledged')
      await new Promise((resolve) => setTimeout(resolve, pause))
      const children = childPids(last.pid)
      await last.kill()
      children.forEach(killed)
      last = await startWith('')
    }
    const engines = childPids(last.pid)
    expect(engines.length).toBeGreaterThanOrEqual(2)
    for (const pid of engines) {
      if (!killed(pid)) continue
      await goesOn('collection goes on')
      await eventually('ready again', async () => (await fetch(`${last.url}/health/ready`)).status === 200, 30_000)
    }
    await sending.stop()
    // The first call may still use a connection that broke together with its engine.
    await eventually('signed in', () =>
      last.api.login(adminCredentials).then(
        () => true,
        () => false,
      ),
    )
    await expectNothingLost(last, source, receiver, sending.acknowledged)
    expect(await last.stop()).toBe(0)
  },
  180_000 + rounds * 30_000,
)
