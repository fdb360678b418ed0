import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  readMetrics,
  startProduct,
  startWebhookReceiver,
  type TestSource,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { engineOf, familyOf, post, storedEvents, track } from './calls.ts'

let product: Product
let receiver: WebhookReceiver
let workspace: string
let shop: TestSource
let serial = 0

beforeAll(async () => {
  receiver = await startWebhookReceiver({ keepBodies: false })
  product = await startProduct()
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
  shop = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, shop.source, { url: receiver.url })
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  await receiver?.close()
})

const accepted = new Set<string>()
/** Sends one event and expects it to be accepted. */
const send = async (): Promise<string> => {
  const id = `away-${serial++}`
  const answer = await post(product, '/v1/track', shop.key, track(id))
  expect(answer.status).toBe(200)
  accepted.add(id)
  return id
}

const readiness = async (): Promise<{ status: number; parts: Record<string, { ok: boolean }> }> => {
  const answer = await fetch(`${product.url}/health/ready`)
  return { status: answer.status, parts: ((await answer.json()) as { parts: Record<string, { ok: boolean }> }).parts }
}
const readyAgain = (): Promise<boolean> =>
  eventually('ready again', async () => (await readiness()).status === 200, 60_000)

/** Returns the number of events that profiles have handled. */
const profiled = async (): Promise<number> =>
  Number(/^tributary_profile_events_total (\d+)/m.exec(await (await readMetrics(product.url)).text())?.[1] ?? 0)

const everythingArrived = async (): Promise<void> => {
  await eventually(
    'all stored',
    async () => {
      const ids = new Set((await storedEvents(product, shop.source)).map((event) => event.message_id))
      return [...accepted].every((id) => ids.has(id))
    },
    60_000,
  )
  const ids = (await storedEvents(product, shop.source)).map((event) => event.message_id)
  expect(ids.toSorted()).toEqual([...accepted].toSorted())
  await eventually('all delivered', () => [...accepted].every((id) => receiver.messageIds().has(id)), 60_000)
  await eventually('profiles of all', async () => (await profiled()) >= accepted.size, 60_000)
}

/** Pauses every process of an engine until the returned function is called, like a machine that hangs. */
const freeze = (name: 'postgres' | 'event-store'): (() => void) => {
  const pids = familyOf(engineOf(product, name))
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGCONT')
      } catch {
        // The process was replaced meanwhile.
      }
  }
}

type LiveMessage = { event: string; channel?: string; data?: string }

/** Listens to a source with the protocol that a browser uses; collects the message IDs of the shown events. */
const listenLive = async (source: string): Promise<{ seen: Set<string>; close(): void }> => {
  const { key } = await product.api.ok('GET', '/realtime:config')
  const channel = `private-sources-${source.split('/').at(-1)}`
  const seen = new Set<string>()
  const socket = new WebSocket(`${product.url.replace('http', 'ws')}/app/${String(key)}?protocol=7&client=test`)
  const say = (event: string, data: object): void => socket.send(JSON.stringify({ event, data }))
  const join = async (socketId: string): Promise<void> => {
    const answer = await fetch(`${product.url}/pusher/auth`, {
      method: 'POST',
      headers: { authorization: `Bearer ${product.api.token}` },
      body: new URLSearchParams({ socket_id: socketId, channel_name: channel }),
    })
    say('pusher:subscribe', { channel, ...((await answer.json()) as { auth: string }) })
  }
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error('no live channel'))
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as LiveMessage
      const content = JSON.parse(message.data ?? '{}') as { socket_id?: string; events?: { messageId: string }[] }
      if (message.event === 'pusher:connection_established') join(content.socket_id ?? '').catch(reject)
      else if (message.event === 'pusher_internal:subscription_succeeded') resolve()
      else if (message.event === 'pusher:ping') say('pusher:pong', {})
      for (const event of content.events ?? []) seen.add(event.messageId)
    }
  })
  return { seen, close: () => socket.close() }
}

/** Kills an engine each time it comes back, until `done` returns true. */
const killUntil = (name: 'postgres' | 'event-store', done: () => boolean): Promise<boolean> =>
  eventually(
    `enough of killing ${name}`,
    () => {
      if (done()) return true
      try {
        process.kill(engineOf(product, name), 'SIGKILL')
      } catch {
        // The engine is between two starts.
      }
      return false
    },
    60_000,
  )

const expectAway = (answer: { status: number; body: Record<string, unknown>; headers: Headers }): void => {
  expect(answer).toMatchObject({ status: 503, body: { code: 503, reason: 'UNAVAILABLE' } })
  expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
}

test('while PostgreSQL hangs, collection and delivery continue with the cached keys, the API returns 503 in time, and everything recovers', async () => {
  await send()
  const release = freeze('postgres')
  try {
    const id = await send()
    await eventually('delivered', () => receiver.messageIds().has(id))
    const { status, parts } = await readiness()
    expect([status, parts.relational?.ok, parts.eventStore?.ok]).toEqual([503, false, true])
    const asked = Date.now()
    expectAway(await product.api.call('GET', `/${workspace}/sources`))
    expect(Date.now() - asked).toBeLessThan(20_000)
    expect((await post(product, '/v1/track', 'nobody', track('x'))).status).toBe(401)
    await send()
  } finally {
    release()
  }
  await readyAgain()
  await product.api.ok('GET', `/${workspace}/sources`)
  await everythingArrived()
})

test('while PostgreSQL is killed repeatedly, collection continues; once it is back, a revoked key is refused within 2 s', async () => {
  const key = await createSource(product.api, workspace, 'Revoked later')
  let away = false
  const killing = killUntil('postgres', () => away)
  for (let index = 0; index < 20; index++) await send()
  expect((await post(product, '/v1/track', key.key, track('known'))).status).toBe(200)
  await eventually('the API says so', async () => {
    const answer = await product.api.call('GET', `/${workspace}/sources`)
    if (answer.status === 503) expectAway(answer)
    return answer.status === 503
  })
  away = true
  await killing
  await readyAgain()
  const { writekeys } = await product.api.ok('GET', `/${workspace}/writekeys?source=${key.source}`)
  await product.api.ok('DELETE', `/${(writekeys as { name: string }[])[0]?.name}`)
  await eventually(
    'refused',
    async () => (await post(product, '/v1/track', key.key, track('late'))).status === 401,
    2000,
  )
  await everythingArrived()
})

test('while the event store hangs or is killed repeatedly, events are accepted, shown live, and delivered, and stored exactly once', async () => {
  const live = await listenLive(shop.source)
  await eventually('the live channel is watched', async () => {
    await send()
    return live.seen.size > 0
  })
  const release = freeze('event-store')
  try {
    const ids: string[] = []
    for (let index = 0; index < 30; index++) ids.push(await send())
    await eventually('delivered', () => ids.every((id) => receiver.messageIds().has(id)))
    await eventually('shown live', () => ids.every((id) => live.seen.has(id)))
    const { status, parts } = await readiness()
    expect([status, parts.relational?.ok, parts.eventStore?.ok]).toEqual([503, true, false])
  } finally {
    release()
  }
  await readyAgain()
  let away = false
  const killing = killUntil('event-store', () => away)
  const ids: string[] = []
  for (let index = 0; index < 30; index++) ids.push(await send())
  await eventually('delivered', () => ids.every((id) => receiver.messageIds().has(id)))
  await eventually('not ready', async () => (await readiness()).status === 503)
  await eventually('the API says so', async () => {
    const answer = await product.api.call('GET', `/${shop.source}/events`)
    if (answer.status === 503) expectAway(answer)
    return answer.status === 503
  })
  away = true
  await killing
  await readyAgain()
  await everythingArrived()
  live.close()
})
