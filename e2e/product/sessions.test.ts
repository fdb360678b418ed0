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
import { listen } from './live-channel.ts'

let product: Product
beforeAll(async () => {
  product = await startProduct()
  await product.api.login(adminCredentials)
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
})

test('a session that is ended elsewhere is refused and stops hearing live events at once; the one that ended it goes on', async () => {
  const { workspace } = await createWorkspace(product.api, 'Sessions')
  const { sourceId } = await createSource(product.api, workspace)
  const channel = `private-sources-${sourceId}`
  const other = createApiClient(product.url)
  await other.login(adminCredentials)
  const listener = await listen(product, String(other.token), channel)
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
  expect((await listen(product, String(other.token), channel)).status).toBe(401)
  const own = await listen(product, String(product.api.token), channel)
  expect(own.status).toBe(200)
  own.close()
})
