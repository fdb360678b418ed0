import {
  adminCredentials,
  createApiClient,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let product: Product
beforeAll(async () => {
  product = await startProduct()
  await product.api.login(adminCredentials)
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
})

/** Listens to a source's live channel with a session's token, as the web application does. */
const listen = async (token: string, sourceId: string) => {
  const { key } = await product.api.ok('GET', '/realtime:config')
  const socket = new WebSocket(`${product.url.replace('http', 'ws')}/app/${String(key)}?protocol=7`)
  let closed = false
  socket.addEventListener('close', () => {
    closed = true
  })
  const message = (event: string) =>
    new Promise<Record<string, unknown>>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const parsed = JSON.parse(String(data))
        if (parsed.event === event) resolve(typeof parsed.data === 'string' ? JSON.parse(parsed.data) : parsed.data)
      })
    })
  const channel = `private-sources-${sourceId}`
  const { socket_id } = await message('pusher:connection_established')
  const answer = await fetch(`${product.url}/pusher/auth`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams({ socket_id: String(socket_id), channel_name: channel }),
  })
  if (!answer.ok) return { status: answer.status, closed: () => true, close: () => socket.close() }
  const { auth } = (await answer.json()) as { auth: string }
  const heard = message('pusher_internal:subscription_succeeded')
  socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }))
  await heard
  return { status: answer.status, closed: () => closed, close: () => socket.close() }
}

test('a session that is ended elsewhere is refused and stops hearing live events at once; the one that ended it goes on', async () => {
  const { workspace } = await createWorkspace(product.api, 'Sessions')
  const { sourceId } = await createSource(product.api, workspace)
  const other = createApiClient(product.url)
  await other.login(adminCredentials)
  const listener = await listen(String(other.token), sourceId)
  expect([listener.status, listener.closed()]).toEqual([200, false])

  const { user } = (await product.api.ok('POST', '/users:login', adminCredentials)) as { user: { name: string } }
  const { sessions } = (await product.api.ok('GET', `/${user.name}/sessions`)) as {
    sessions: { name: string; current: boolean }[]
  }
  const others = sessions.filter((session) => !session.current)
  expect(others).toHaveLength(2)
  for (const { name } of others) await product.api.ok('DELETE', `/${name}`)

  expect((await other.call('GET', '/workspaces')).status).toBe(401)
  await eventually('the listener is cut', () => listener.closed())
  expect((await listen(String(other.token), sourceId)).status).toBe(401)
  const own = await listen(String(product.api.token), sourceId)
  expect(own.status).toBe(200)
  own.close()
})
