import {
  adminCredentials,
  createDestination,
  createSource,
  createWorkspace,
  eventually,
  startProduct,
  startVendorPeers,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, track } from './calls.ts'

type Attempt = { status: string; reason: string; request: string }
type Item = { name?: string; action: string; identifiers: Record<string, string> }

const authorization = `Basic ${Buffer.from('site-1:cio-secret-1').toString('base64')}`

test('a destination that is described by data delivers, and rejects the events that the vendor refuses', async () => {
  const items: Item[] = []
  await using peers = await startVendorPeers({
    // docs.customer.io/files/journeys-track.json: 207 names the refused records by their index.
    'track-eu.customer.io': ({ path, headers, body }) => {
      if (headers['authorization'] !== authorization) return { status: 401 }
      if (path === '/api/v1/accounts/region') return { status: 200, body: '{"region":"eu"}' }
      const { batch } = body as { batch: Item[] }
      items.push(...batch)
      const errors = batch.flatMap(({ name }, at) =>
        name === 'Refused' ? [{ batch_index: at, reason: 'invalid', field: 'name', message: 'no such event' }] : [],
      )
      return errors.length === 0 ? { status: 200, body: '{}' } : { status: 207, body: JSON.stringify({ errors }) }
    },
  })
  await using product = await startProduct({ command: peers.command })
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api)
  const { source, key } = await createSource(api, workspace, 'Described')
  const destination = await createDestination(api, workspace, source, {
    app: 'customer-io',
    settings: { site_id: 'site-1', api_key: 'cio-secret-1', region: 'eu' },
  })
  expect(await api.ok('POST', `/${destination}:testConnection`)).toMatchObject({
    ok: true,
    message: 'Customer.io accepts these credentials.',
  })
  const batch = [
    track('described-1'),
    track('described-2', { event: 'Refused' }),
    { type: 'identify', messageId: 'described-3', userId: 'u-1', traits: { plan: 'pro' } },
  ]
  expect((await post(product, '/v1/batch', key, { batch })).status).toBe(200)
  const attempts = await eventually('the log tells of all', async () => {
    const { deliveries } = await api.ok('GET', `/${destination}/deliveries`)
    const found = deliveries as Attempt[]
    return found.length >= batch.length && found
  })
  expect(attempts.map(({ status }) => status).toSorted()).toEqual(['dead', 'delivered', 'delivered'])
  expect(attempts.find(({ status }) => status === 'dead')).toMatchObject({ reason: 'no such event' })
  expect(JSON.stringify(attempts)).not.toContain('cio-secret-1')
  // Accepted records are not sent again.
  expect(items.map(({ action, name = '' }) => `${action} ${name}`).toSorted()).toEqual([
    'event Ordered',
    'event Refused',
    'identify ',
  ])
  expect(items.every(({ identifiers }) => identifiers['id'] === 'u-1')).toBe(true)
})
