import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from '../product/calls.ts'
import { createSdkLoad, expectInOrder } from '../product/sdk-load.ts'
import { startKafkaWithWay, startRemoteEngines } from '../product/several-processes.ts'

const roles = { main: 'api,realtime,profiles,jobs', collect: 'collect', pipeline: 'pipeline', delivery: 'delivery' }
/** A time in ms that is longer than a lease, and longer than a collecting process can be silent. */
const longMs = 10_000

/** A step of a change: message IDs are learned while events are accepted (`learning`), or requests wait (`paused`). */
type Step = 'learning' | 'paused'
const steps: readonly Step[] = ['learning', 'paused']

/** Reads the state of a change directly from PostgreSQL, even if other processes are cut off from it. */
const watchSpread = (stack: AsyncDisposableStack, url: string, workspaceId: string) => {
  const { db } = stack.use(openRelational({ url, logger: silentLogger, maxConnections: 1 }))
  const row = async () =>
    await db
      .selectFrom('workspace_spreads')
      .select(['spread', 'next', 'pause_time', 'problem'])
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst()
  const isAt = async (step: Step): Promise<boolean> => {
    const now = await row()
    return now !== undefined && now.next !== null && (now.pause_time !== null) === (step === 'paused')
  }
  return {
    row,
    isAt,
    async until(step: Step): Promise<void> {
      for (const late = Date.now() + 60_000; !(await isAt(step)); await pause(1))
        if (Date.now() > late) throw new Error(`A change was never ${step}: ${JSON.stringify(await row())}`)
    },
  }
}

/**
 * Starts a main process and two processes of each role, and creates a workspace with load and with a destination that
 * keeps the order.
 */
const startWorld = async (stack: AsyncDisposableStack) => {
  const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
  const kafka = await startKafkaWithWay()
  const engines = await startRemoteEngines(stack, { kafka })
  const byWay = { KAFKA_BROKERS: kafka.way.address }
  const start = (name: string, role: keyof typeof roles, more: { standsBy?: true } = {}): Promise<Product> =>
    engines.start(name, {
      ...more,
      env: { TRIBUTARY_ROLES: roles[role], TRIBUTARY_PARTITION_GROUPS: '4', ...(name === 'c2' ? byWay : {}) },
    })
  const main = await start('main', 'main')
  await main.api.login(adminCredentials)
  const { workspace } = await createWorkspace(main.api)
  const shop = await createSource(main.api, workspace)
  await createWebhook(main.api, workspace, shop.source, { url: receiver.url, ordered: true })
  const [c1, c2, p1] = await Promise.all([
    start('c1', 'collect'),
    start('c2', 'collect'),
    start('p1', 'pipeline'),
    start('p2', 'pipeline'),
    start('d1', 'delivery'),
    start('d2', 'delivery'),
  ])
  const load = createSdkLoad([
    { key: shop.key, url: c1.url, users: ['u0', 'u1', 'u2'] },
    { key: shop.key, url: c2.url, users: ['u3', 'u4', 'u5'] },
  ])
  stack.defer(() => load.stop())
  await load.more(200)
  const workspaceId = workspace.split('/').at(-1) ?? ''
  const spread = watchSpread(stack, engines.urls.database, workspaceId)
  return { receiver, kafka, engines, start, shop, load, workspaceId, spread, processes: { main, c1, c2, p1 } }
}

/** Requests a change; returns the last output of the command. */
const askFor = (engines: Awaited<ReturnType<typeof startRemoteEngines>>, ...args: string[]): Promise<string> =>
  engines.run('spread', ...args).catch((error: unknown) => String((error as { stderr?: unknown }).stderr ?? error))

test('after any failure during a spread change, the change ends, requests are accepted, and acknowledged events are stored once and in order', async () => {
  await using stack = new AsyncDisposableStack()
  const { receiver, kafka, engines, start, shop, load, workspaceId, spread, processes } = await startWorld(stack)
  let { main, c1, p1 } = processes
  const { c2 } = processes
  const came: string[] = []
  let serial = 0

  /** Waits until both collectors accept events of the workspace. */
  const accepted = async (): Promise<void> => {
    for (const { url } of [c1, c2])
      await eventually('accepted again', async () => {
        const { status } = await post({ url }, '/v1/track', shop.key, track(`probe-${serial++}`))
        return status === 200
      })
    await load.more(60)
  }
  const next = async (): Promise<string> => {
    const now = (await spread.row())?.spread ?? 1
    return String([1, 4, 2][([1, 4, 2].indexOf(now) + 1) % 3])
  }
  /** Injects a fault while a change is at a step, and repairs it; then the change must complete. */
  const inTheMiddle = async (what: string, step: Step, fault: () => Promise<unknown>, ...more: string[]) => {
    const wanted = await next()
    const said = askFor(engines, workspaceId, wanted, ...more)
    await spread.until(step)
    const since = performance.now()
    const took = (): number => Math.round(performance.now() - since)
    await fault()
    const row = await eventually(
      `the change ends: ${what}`,
      async () => {
        const now = await spread.row()
        return now?.next === null && now
      },
      90_000,
    )
    expect(row.pause_time).toBeNull()
    const endMs = took()
    if (row.spread === Number(wanted)) expect(row.problem).toBe('')
    else expect(row.problem).not.toBe('')
    await accepted()
    await said
    const how = row.spread === Number(wanted) ? `in ${wanted}` : `given up: ${row.problem}`
    came.push(`${what} while ${step}: ${how} (ended ${endMs} ms after, accepted ${took()})`)
  }

  try {
    await inTheMiddle('nothing', 'paused', async () => {})
    await inTheMiddle('a collector stopped', 'paused', async () => {
      process.kill(c1.pid, 'SIGSTOP')
      await pause(longMs)
      process.kill(c1.pid, 'SIGCONT')
    })
    for (const step of steps) {
      await inTheMiddle('a collector cut off from Kafka', step, async () => {
        kafka.way.cut()
        await pause(longMs)
        kafka.way.mend()
      })
      await inTheMiddle('a pipeline killed', step, async () => {
        await p1.kill()
        p1 = await start('p1', 'pipeline')
      })
      await inTheMiddle('the main process killed', step, async () => {
        await main.kill()
        // No process continues the change, so the collectors whose requests wait abort it.
        if (step === 'paused') await eventually('given up', async () => (await spread.row())?.next === null, 100_000)
        main = await start('main', 'main')
      })
      const other = await start(`main-${step}`, 'main', { standsBy: true })
      await inTheMiddle('the main process stopped', step, async () => {
        process.kill(main.pid, 'SIGSTOP')
        await eventually('the takeover', () => other.output().includes('Tributary is ready at'), 90_000)
        process.kill(main.pid, 'SIGCONT')
        expect(await main.ended).toBe(1)
        main = other
      })
      await inTheMiddle('PostgreSQL away', step, async () => {
        engines.way.cut()
        expect(await main.ended).toBe(1)
        engines.way.mend()
        main = await start('main', 'main')
      })
      await inTheMiddle('a collector killed', step, async () => {
        await c1.kill()
        c1 = await start('c1', 'collect')
      })
      // The killed process did not report that it had ended.
      const wanted = await next()
      const waiting = askFor(engines, workspaceId, wanted)
      await eventually('it waits', async () => (await spread.row())?.problem.includes('--gone'))
      expect(await askFor(engines, workspaceId, wanted, '--gone')).toContain(`is in ${wanted} partition`)
      expect(await waiting).toContain(`is in ${wanted} partition`)
    }
  } finally {
    console.info(came.join('\n'))
  }
  await load.stop()

  const isIn = async (ids: readonly string[]): Promise<void> => {
    await eventually(
      'what was acknowledged is stored',
      async () => {
        const known = new Set((await storedEvents(main, shop.source)).map((event) => event.message_id))
        return ids.every((id) => known.has(id))
      },
      120_000,
    )
  }
  // All events are sent again, followed by another event in each partition.
  const eventOf = (userId: string, messageId: string) => ({ type: 'track', event: 'Ordered', userId, messageId })
  const events = [...load.acknowledged].flatMap(([userId, ids]) => ids.map((id) => eventOf(userId, id)))
  const last = [...load.acknowledged.keys()].map((userId) => eventOf(userId, `last-${userId}`))
  for (let from = 0; from < events.length; from += 500)
    expect((await post(c1, '/v1/batch', shop.key, { batch: events.slice(from, from + 500) })).status).toBe(200)
  expect((await post(c1, '/v1/batch', shop.key, { batch: last })).status).toBe(200)
  await main.api.login(adminCredentials)
  await isIn([...load.ids(), ...last.map(({ messageId }) => messageId)])
  const stored = await storedEvents(main, shop.source)
  expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
  expectInOrder(stored, load.acknowledged)

  await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 120_000)
  // Compares the order of the first arrivals, because events that are sent again arrive again.
  const arrived = new Map([...receiver.messageIds().keys()].map((id, place) => [id, place]))
  for (const [user, sent] of load.acknowledged) {
    const places = sent.map((id) => arrived.get(id) ?? -1)
    expect(places, user).toEqual(places.toSorted((a, b) => a - b))
  }
})
