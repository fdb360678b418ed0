import { rm } from 'node:fs/promises'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  skipsKafka,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'
import { createSdkLoad, expectInOrder, userPauseMs } from './sdk-load.ts'
import { startRemoteEngines } from './several-processes.ts'

/** Measures the time in ms until a standby process is the main process. */
const takesOver = async (product: Product, since: number): Promise<number> => {
  await eventually('the takeover', () => product.output().includes('Tributary is ready at'), 90_000)
  return Math.round(performance.now() - since)
}

test.skipIf(skipsKafka())(
  'after any failure of the main process and its disk, another process takes over, and acknowledged events are stored once, in order, and delivered',
  async () => {
    await using stack = new AsyncDisposableStack()
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const { way, folder, start } = await startRemoteEngines(stack)
    const first = await start('a')
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api)
    const shop = await createSource(first.api, workspace)
    await createWebhook(first.api, workspace, shop.source, { url: receiver.url })
    const collector = await start('nowhere', { env: { TRIBUTARY_ROLES: 'collect' } })
    await eventually('the new key', async () => {
      const answer = await fetch(`${collector.url}/v1/projects/${shop.key}/settings`)
      return answer.status === 200
    })
    await expect(start('stranger', { env: { TRIBUTARY_SECRET_KEY: '' } })).rejects.toThrow('secret key')
    const load = createSdkLoad([{ key: shop.key, url: collector.url, users: ['u0', 'u1', 'u2', 'u3', 'u4', 'u5'] }], {
      pauseMs: userPauseMs,
    })
    stack.defer(() => load.stop())
    const took: Record<string, number> = {}
    /** Sends events again that were stored long ago. */
    const repeat = async (): Promise<string> => {
      const id = load.ids().at(0) ?? ''
      const other = load.ids().at(-200) ?? id
      for (const each of [id, other])
        expect((await post(collector, '/v1/track', shop.key, track(each))).status).toBe(200)
      return id
    }
    const isStored = async (main: Product): Promise<void> => {
      await main.api.login(adminCredentials)
      const sent = load.ids()
      await eventually('what was acknowledged is stored', async () => {
        const known = new Set((await storedEvents(main, shop.source)).map((event) => event.message_id))
        return sent.every((id) => known.has(id))
      })
    }

    // The process is killed, and its disk is lost.
    const second = await start('b', { standsBy: true })
    expect((await fetch(`${second.url}/health/live`)).status).toBe(200)
    const ready = await fetch(`${second.url}/health/ready`)
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('stands by')])
    expect((await post(second, '/v1/track', shop.key, track('refused'))).status).toBe(503)
    await load.more(300)
    let since = performance.now()
    await first.kill()
    await rm(folder('a'), { recursive: true, force: true })
    took.killed = await takesOver(second, since)
    await repeat()
    await isStored(second)

    // The process is paused for longer than its lease.
    const third = await start('a', { standsBy: true })
    await load.more(100)
    since = performance.now()
    process.kill(second.pid, 'SIGSTOP')
    took.paused = await takesOver(third, since)
    await load.more(50)
    process.kill(second.pid, 'SIGCONT')
    expect(await second.ended).toBe(1)
    await repeat()
    await isStored(third)

    // PostgreSQL is unavailable for longer than a lease; the other process has the folder from an earlier time.
    const fourth = await start('b', { standsBy: true })
    since = performance.now()
    way.cut()
    expect(await third.ended).toBe(1)
    expect(third.output()).toContain('PostgreSQL has not confirmed')
    took.givenUp = Math.round(performance.now() - since)
    await load.more(50)
    expect((await fetch(`${fourth.url}/health/ready`)).status).toBe(503)
    since = performance.now()
    way.mend()
    took.back = await takesOver(fourth, since)
    await repeat()

    // The process is stopped, and so is the one that takes over. It releases the lease, so the next one need not wait.
    const fifth = await start('a', { standsBy: true })
    await load.more(100)
    const ending = fourth.stop()
    await eventually('the takeover begins', () => fifth.output().includes('takes over as the main process'))
    expect(await fifth.stop(), fifth.output().slice(-1500)).toBe(0)
    expect(await ending).toBe(0)
    const last = await start('b')
    expect(last.output()).not.toContain('stands by')
    await repeat()
    await load.more(50)
    await load.stop()
    await isStored(last)

    const stored = await storedEvents(last, shop.source)
    expect(stored).toHaveLength(new Set(stored.map((event) => event.message_id)).size)
    expectInOrder(stored, load.acknowledged)
    await eventually('delivered', () => load.ids().every((id) => receiver.messageIds().has(id)), 120_000)
    await eventually('the repetitions are counted', async () => {
      const page = await last.api.ok('GET', `/${shop.source}/droppedEvents`)
      return (page.dropped_events as { count: number }[]).reduce((sum, { count }) => sum + count, 0) >= 8
    })
    // A process that stands by can be stopped.
    const idle = await start('a', { standsBy: true })
    expect(await idle.stop()).toBe(0)
    expect(await last.stop()).toBe(0)
    console.info(`took over, ms: ${JSON.stringify(took)}; ${stored.length} events`)
  },
  // The test has nine starts, on a machine that may be busy.
  600_000,
)
