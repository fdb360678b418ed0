import { createEgressPolicy, createRequestClient } from '@tributary/connector-kit'
import { selfSigned } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer } from '@tributary/test-kit'
import { expect, inject, test } from 'vitest'
import { cancelStatement } from './cancel.ts'
import { createGuardedClient } from './connect.ts'

const createClient = () =>
  createRequestClient({
    egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }),
    logger: silentLogger,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })

test.each([
  ['without TLS', false],
  ['within TLS', true],
])('a statement is canceled over a connection of its own %s', async (_, isSecure) => {
  await using peer = await createPostgresPeer(inject('postgresUrl'), isSecure ? { tls: selfSigned } : {})
  const access = isSecure
    ? { ...peer.access, host: 'hooks.example.com', tls: 'verify' as const, ca_certificate: selfSigned.cert }
    : { ...peer.access, tls: 'off' as const }
  const http = createClient()
  const { signal } = new AbortController()
  const limits = { statementMs: 300_000, answerBytes: 1024 * 1024 }
  const { client } = await createGuardedClient(access, { connect: http.connect, signal }, limits)
  await client.connect()
  const asked = client.query('select pg_sleep(300)').catch((error: unknown) => error)
  await expect
    .poll(() => peer.query(`select 1 from pg_stat_activity where query = 'select pg_sleep(300)'`))
    .toHaveLength(1)
  await cancelStatement(client, access, http.connect)
  expect(await asked).toMatchObject({ code: '57014' })
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  // A server that offers no TLS, or is away, is left in peace.
  await cancelStatement(client, { ...access, port: 1 }, http.connect)
  await client.end()
  await http.close()
})
