import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { type ClickHousePeer, startClickHouse } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writtenEvent } from '../../wire/warehouse/testing-conformance.ts'
import { clickhouse } from './definition.ts'

let peer: ClickHousePeer
const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
const lifetime = createLifetime()
beforeAll(async () => {
  peer = await startClickHouse()
})
afterAll(async () => {
  await lifetime.end()
  await client.close()
  await peer?.[Symbol.asyncDispose]()
})

const contextOf = (given: Record<string, unknown> = {}): DeliverContext => {
  const checked = validateSettings(clickhouse, { ...peer.access, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  return {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal: new AbortController().signal,
  }
}

test('the connection test tries each privilege, and leaves nothing behind', async () => {
  const result = await clickhouse.testConnection(contextOf())
  expect(result).toMatchObject({ ok: true, message: expect.stringContaining('Each privilege was tried') })
  expect(await peer.query("select name from system.tables where database = 'company'")).toEqual([])
})

test.each([
  ['a database that does not exist', { database: 'missing' }, /database/],
  ['a wrong password', { password: 'wrong' }, /Wrong user or password/],
  ['a port without a server', { port: 1 }, /./],
])('the connection test says why %s does not work', async (_, given, words) => {
  const result = await clickhouse.testConnection(contextOf(given))
  expect(result.ok).toBe(false)
  expect(result.message).toMatch(words)
  expect(result.message).not.toContain(peer.access.password)
})

test('events are held while the password is wrong, and staged with the right one', async () => {
  await expect(clickhouse.deliver([writtenEvent()], contextOf({ password: 'wrong' }))).rejects.toBeInstanceOf(
    ConfigurationError,
  )
  expect(await clickhouse.deliver([writtenEvent()], contextOf())).toMatchObject({ outcomes: { kind: 'delivered' } })
})

test.each(['22', '24-3', '3-3', 'a-b', '1-25', '-1-3'])('%s are no hours of loads', (load_hours) => {
  const checked = validateSettings(clickhouse, { ...peer.access, tls: 'off', load_hours })
  expect(checked).toMatchObject({ ok: false, errors: { load_hours: expect.stringContaining('22-6') } })
})
