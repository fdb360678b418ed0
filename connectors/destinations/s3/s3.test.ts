import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  ConfigurationError,
  callOnce,
  createEgressPolicy,
  createRequestClient,
  EgressRefusedError,
  type OutgoingEvent,
  type OutgoingRow,
  RejectedError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import {
  type Peer,
  type PeerAnswer,
  type PeerRequest,
  runConnector,
  runConnectorRows,
  startPeer,
} from '@tributary/connector-kit/testing'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { silentLogger } from '@tributary/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import { readParquet, scanParquet } from '../../wire/files/parquet/rows.ts'
import { bucketAddress, objectPath } from '../../wire/s3/address.ts'
import { signatureRefusal } from '../../wire/s3/testing-signature.ts'
import { s3 } from './definition.ts'

const credentials = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const region = 'eu-central-1'

const refusal = (request: PeerRequest): string | undefined => signatureRefusal(request, credentials, region)

const errorBody = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>About ${code}.</Message><RequestId>1</RequestId></Error>`

type Storage = Peer & { objects: Map<string, Buffer>; settings: Record<string, unknown> }

let peer: Storage | undefined
afterEach(async () => {
  await peer?.close()
  peer = undefined
})

/** Starts a storage that keeps objects of requests with a valid signature, unless `answer` overrides the response. */
const startStorage = async (
  answer: (request: PeerRequest) => PeerAnswer | undefined = () => undefined,
): Promise<Storage> => {
  const objects = new Map<string, Buffer>()
  const made = await startPeer((request) => {
    const code = refusal(request)
    if (code !== undefined) return { status: 403, body: errorBody(code) }
    const own = answer(request)
    if (own !== undefined) return own
    const key = decodeURIComponent(request.url)
    if (request.method === 'PUT') objects.set(key, request.bytes)
    else objects.delete(key)
    return { status: request.method === 'PUT' ? 200 : 204 }
  })
  const settings = { ...credentials, region, bucket: 'my-events', endpoint: made.url, path_style: true }
  peer = { ...made, objects, settings }
  return peer
}

const event = (
  number: number,
  receivedAt = '2026-01-31T13:59:59.000Z',
  more: Partial<OutgoingEvent> = {},
): OutgoingEvent => {
  const full = { eventId: `0-${number}-0`, messageId: `m${number}`, type: 'track' as const, event: 'Order Completed' }
  return {
    ...full,
    json: JSON.stringify({ ...full, properties: { note: 'ü' }, receivedAt }),
    action: 'write_line',
    ...more,
  }
}
const linesOf = (object: Buffer | undefined): unknown[] =>
  gunzipSync(object ?? Buffer.alloc(0))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const row = (
  number: number,
  operation: OutgoingRow['operation'],
  key: string,
  json: string,
  object = 'changes/ndjson/customers',
): OutgoingRow => ({ recordId: `run-1.${number}`, operation, object, key, json })

describe('rows of a sync', () => {
  test('rows in JSON have one line each with operation, key, and exact digits, and repeated rows overwrite the object', async () => {
    const { objects, settings } = await startStorage()
    const rows = [
      row(1, 'upsert', 'a', '{"id":"a","total":12345678901234567890.10,"note":null}'),
      row(2, 'delete', 'b', '{"id":"b"}'),
      row(3, 'upsert', 'c', '{}'),
    ]
    const now = Date.parse('2026-01-31T13:00:00Z')
    const result = await runConnectorRows(s3, settings, rows, { now })
    expect(result).toMatchObject({ outcomes: rows.map(() => ({ kind: 'delivered' })), httpStatus: 200 })
    await runConnectorRows(s3, settings, rows, { now: now + 100_000 })
    const [[key, object] = []] = [...objects]
    expect(objects.size).toBe(1)
    expect(key).toMatch(/^\/my-events\/events\/customers\/run=run-1\/1-[0-9a-f]{16}\.ndjson\.gz$/)
    const about = (operation: string, id: string) =>
      `{"_operation":"${operation}","_key":"${id}","_written_at":"2026-01-31T13:01:40.000Z"`
    expect(gunzipSync(object ?? Buffer.alloc(0)).toString()).toBe(
      `${about('upsert', 'a')},"id":"a","total":12345678901234567890.10,"note":null}\n${about('delete', 'b')},"id":"b"}\n${about('upsert', 'c')}}\n`,
    )
  })

  test('rows in CSV have all columns, and distinguish null, an empty text, quotes, and JSON', async () => {
    const { objects, settings } = await startStorage()
    const object = 'changes/csv/by%20day%2Fcustomers'
    const rows = [
      row(7, 'upsert', 'a', '{"id":"a","note":"","total":1.50,"tags":["x"],"on":true}', object),
      row(8, 'delete', 'b"', '{"id":"b\\"","more":null}', object),
    ]
    await runConnectorRows(s3, { ...settings, format: 'json' }, rows, { now: Date.parse('2026-01-31T13:00:00Z') })
    const [[key, text] = []] = [...objects]
    expect(key).toMatch(/^\/my-events\/events\/by day\/customers\/run=run-1\/7-[0-9a-f]{16}\.csv$/)
    expect(text?.toString()).toBe(
      '"_operation","_key","_written_at","id","note","total","tags","on","more"\n' +
        '"upsert","a","2026-01-31T13:00:00.000Z","a","",1.50,"[""x""]",true,\n' +
        '"delete","b""","2026-01-31T13:00:00.000Z","b""",,,,,\n',
    )
  })

  test('rows in Parquet have text columns, and repeated rows overwrite the object', async () => {
    const { objects, settings } = await startStorage()
    const object = 'changes/parquet/customers'
    const rows = [
      row(7, 'upsert', 'a', '{"id":"a","total":12345678901234567890.10,"tags":["x"],"note":""}', object),
      row(8, 'delete', 'b', '{"id":"b"}', object),
    ]
    for (let time = 0; time < 2; time++)
      await runConnectorRows(s3, settings, rows, { now: Date.parse('2026-01-31T13:00:00Z') })
    expect(objects.size).toBe(1)
    const [[key, bytes] = ['', Buffer.alloc(0)]] = [...objects]
    expect(key).toMatch(/^\/my-events\/events\/customers\/run=run-1\/7-[0-9a-f]{16}\.parquet$/)
    const folder = mkdtempSync(join(tmpdir(), 'tributary-parquet-'))
    const path = join(folder, 'one')
    writeFileSync(path, bytes)
    const fd = openSync(path, 'r')
    try {
      expect(scanParquet(fd, bytes.length).columns.map(({ name, type }) => `${name} ${type}`)).toEqual(
        ['_operation', '_key', '_written_at', 'id', 'total', 'tags', 'note'].map((name) => `${name} text`),
      )
      expect([...readParquet(fd, bytes.length)].flat()).toEqual([
        ['upsert', 'a', '2026-01-31T13:00:00.000Z', 'a', '12345678901234567890.10', '["x"]', ''],
        ['delete', 'b', '2026-01-31T13:00:00.000Z', 'b', null, null, null],
      ])
    } finally {
      closeSync(fd)
      rmSync(folder, { recursive: true })
    }
  })

  test('rows of several runs are separate objects, and the rows of failed objects are sent again', async () => {
    const { settings, objects } = await startStorage(({ url }) =>
      url.includes('run-2') ? { status: 503, body: errorBody('SlowDown') } : undefined,
    )
    const rows = [row(1, 'upsert', 'a', '{}'), { ...row(1, 'upsert', 'b', '{}'), recordId: 'run-2.1' }]
    const { outcomes } = await runConnectorRows(s3, settings, rows)
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'retry', reason: 'SlowDown: About SlowDown.' }])
    expect(objects.size).toBe(1)
    await expect(runConnectorRows(s3, settings, rows.slice(1))).rejects.toThrow(RetryableError)
  })

  test.each([
    ['changes/ndjson/a%2F..%2Fb', 'upsert'],
    ['changes/ndjson/%2Fa', 'upsert'],
    ['changes/orc/a', 'upsert'],
    ['changes/parquet/a', 'insert'],
    ['contacts', 'upsert'],
    ['changes/csv/a', 'insert'],
    ['changes/csv/a', 'update'],
  ] as const)('rows of %s with the operation %s are rejected, and nothing is written', async (object, operation) => {
    const { settings, requests } = await startStorage()
    const { outcomes } = await runConnectorRows(s3, settings, [row(1, operation, 'a', '{}', object)])
    expect(outcomes).toEqual([{ kind: 'rejected', reason: expect.stringMatching(/./) as string }])
    expect(requests).toEqual([])
  })
})

testDestination(s3, {
  settings: (endpoint) => ({ ...credentials, region, bucket: 'my-events', endpoint, path_style: true }),
  secrets: [credentials.secret_access_key],
  vendor: ({ raw }) => {
    const code = refusal(raw)
    return code === undefined ? { status: raw.method === 'PUT' ? 200 : 204 } : { status: 403, body: errorBody(code) }
  },
  events: [event(1), event(2)],
  requests: [
    { method: 'PUT', path: expect.stringMatching(/^\/my-events\/events\/dt%3D2026-01-31\/hr%3D13\/0-1-0-/) as string },
  ],
  connected: 'The object events/.tributary-test in the bucket my-events was written and deleted.',
  badCredentials: {
    settings: (endpoint) => ({
      access_key_id: credentials.access_key_id,
      secret_access_key: 'another-secret-access-key',
      region,
      bucket: 'my-events',
      endpoint,
      path_style: true,
    }),
    message: 'SignatureDoesNotMatch',
  },
  successByStatus: true,
})

describe('a batch', () => {
  test('a batch is one compressed object of JSON lines, in the folder of its hour, with a valid signature', async () => {
    const { objects, settings, requests } = await startStorage()
    const events = [event(1), event(2), event(3)]
    const result = await runConnector(s3, settings, events)
    expect(result).toMatchObject({ outcomes: events.map(() => ({ kind: 'delivered' })), httpStatus: 200 })
    const [[key, object] = []] = [...objects]
    expect(key).toMatch(/^\/my-events\/events\/dt=2026-01-31\/hr=13\/0-1-0-[0-9a-f]{16}\.json\.gz$/)
    expect(linesOf(object)).toEqual(events.map(({ json }) => JSON.parse(json)))
    expect(requests[0]?.url).toContain('/dt%3D2026-01-31/hr%3D13/')
    expect(requests[0]?.headers['content-type']).toBe('application/gzip')
  })

  test('a batch that is sent again overwrites its object, and another batch is another object', async () => {
    const { objects, settings } = await startStorage()
    await runConnector(s3, settings, [event(1), event(2)])
    await runConnector(s3, settings, [event(1), event(2)], { now: Date.now() + 100_000 })
    expect(objects.size).toBe(1)
    await runConnector(s3, settings, [event(1), event(3)])
    expect(objects.size).toBe(2)
  })

  test('a batch over two hours makes an object for each hour', async () => {
    const { objects, settings } = await startStorage()
    await runConnector(s3, { ...settings, prefix: '/a/b c+ü/' }, [
      event(1),
      event(2, '2026-01-31T14:00:00.000Z'),
      event(3),
    ])
    expect([...objects].map(([key, object]) => [key.replace(/\/0-.*/, ''), linesOf(object).length])).toEqual([
      ['/my-events/a/b c+ü/dt=2026-01-31/hr=13', 2],
      ['/my-events/a/b c+ü/dt=2026-01-31/hr=14', 1],
    ])
  })

  test("a batch of mapped events has the mapping's payload, uncompressed if chosen", async () => {
    const { objects, settings } = await startStorage()
    await runConnector(s3, { ...settings, prefix: '/', format: 'json' }, [
      event(1, undefined, { payload: { total: 5 } }),
    ])
    const [[key, object] = []] = [...objects]
    expect(key).toMatch(/^\/my-events\/dt=2026-01-31\/hr=13\/0-1-0-[0-9a-f]{16}\.json$/)
    expect(object?.toString()).toBe('{"total":5}\n')
  })

  test('a batch of which the storage accepted a part is delivered in part', async () => {
    let calls = 0
    const { settings } = await startStorage(() =>
      ++calls === 2 ? { status: 503, body: errorBody('SlowDown') } : undefined,
    )
    const { outcomes, response } = await runConnector(s3, settings, [
      event(1, '2026-01-31T14:00:00.000Z'),
      event(2),
      event(3, '2026-01-31T14:00:00.000Z'),
    ])
    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'retry', reason: 'SlowDown: About SlowDown.' },
      { kind: 'delivered' },
    ])
    expect(response).toContain('SlowDown')
  })
})

describe('a response of the storage', () => {
  const failing = async (answer: PeerAnswer, given: Record<string, unknown> = {}): Promise<unknown> => {
    const { settings } = await startStorage(() => answer)
    return await runConnector(s3, { ...settings, ...given }, [event(1)], { timeoutMs: 1000 }).catch(
      (error: unknown) => error,
    )
  }

  test.each([
    ['NoSuchBucket', 404],
    ['AccessDenied', 403],
    ['InvalidBucketName', 400],
    ['PermanentRedirect', 301],
    ['ExpiredToken', 400],
  ])('the response %s is a set-up error', async (code, status) => {
    const failure = await failing({ status, body: errorBody(code) })
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as Error).message).toBe(`${code}: About ${code}.`)
  })

  test.each([
    ['SlowDown', 503],
    ['InternalError', 500],
    ['RequestTimeout', 400],
    ['OperationAborted', 409],
    ['', 502],
  ])('the response %s %i is a temporary error', async (code, status) => {
    const failure = await failing({ status, body: code === '' ? '' : errorBody(code), headers: { 'retry-after': '7' } })
    expect(failure).toBeInstanceOf(RetryableError)
  })

  test('a response about different clocks is reported and retried', async () => {
    const failure = await failing({ status: 403, body: errorBody('RequestTimeTooSkewed') })
    expect(failure).toBeInstanceOf(RetryableError)
    expect((failure as Error).message).toMatch(/^This server's clock differs from the storage's clock/)
  })

  test('a response that an object is too large rejects its events', async () => {
    expect(await failing({ status: 400, body: errorBody('EntityTooLarge') })).toBeInstanceOf(RejectedError)
  })

  test('a response from another region names the right region', async () => {
    const headers = { 'x-amz-bucket-region': 'us-west-2' }
    const failure = await failing({ status: 400, body: errorBody('AuthorizationHeaderMalformed'), headers })
    expect((failure as Error).message).toContain('The bucket is in the region us-west-2.')
  })

  test.each([
    ['SignatureDoesNotMatch', { secret_access_key: 'another-secret-access-key' }],
    ['InvalidAccessKeyId', { access_key_id: 'ANOTHER' }],
  ])(
    'the response %s to wrong credentials is a set-up error, recorded without the credentials',
    async (code, given) => {
      const { settings } = await startStorage()
      const failure = await runConnector(s3, { ...settings, ...given }, [event(1)]).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ConfigurationError)
      expect((failure as Error).message).toContain(code)
      const kept = JSON.stringify((failure as ConfigurationError).exchange)
      expect(kept).toContain('PUT')
      for (const secret of ['another-secret-access-key', credentials.secret_access_key, 'Signature='])
        expect(kept).not.toContain(secret)
    },
  )

  test('a missing response is retried, and a forbidden address is refused', async () => {
    expect(await failing('reset')).toBeInstanceOf(RetryableError)
    await peer?.close()
    const { settings } = await startStorage()
    const egress = createEgressPolicy()
    await expect(runConnector(s3, settings, [event(1)], { egress })).rejects.toThrow(EgressRefusedError)
  })
})

describe('the connection', () => {
  const test_ = async (
    answer?: (request: PeerRequest) => PeerAnswer | undefined,
    given: Record<string, unknown> = {},
  ) => {
    const storage = await startStorage(answer)
    const checked = validateSettings(s3, { ...storage.settings, ...given })
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
    const { signal } = new AbortController()
    const deps = { client, settings: checked.settings, clock: Date.now, logger: silentLogger, signal }
    const result = await callOnce(deps, (context) => s3.testConnection(context))
    await client.close()
    return { result, storage }
  }

  test('the connection test writes and deletes an object', async () => {
    const { result, storage } = await test_()
    expect(result).toEqual({
      ok: true,
      message: 'The object events/.tributary-test in the bucket my-events was written and deleted.',
    })
    expect(storage.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /my-events/events/.tributary-test',
      'DELETE /my-events/events/.tributary-test',
    ])
  })

  test('the connection test succeeds if nothing can be deleted, and names the remaining object', async () => {
    const { result } = await test_(({ method }) =>
      method === 'DELETE' ? { status: 403, body: errorBody('AccessDenied') } : undefined,
    )
    expect(result).toMatchObject({ ok: true, message: expect.stringContaining('It was not deleted') })
  })

  test('the connection test fails if nothing can be written', async () => {
    const { result } = await test_(() => ({ status: 404, body: errorBody('NoSuchBucket') }))
    expect(result).toEqual({ ok: false, message: 'NoSuchBucket: About NoSuchBucket.' })
  })
})

test.each([
  [{}, 'https://my-events.s3.eu-central-1.amazonaws.com', '/a/b%20c'],
  [{ path_style: true }, 'https://s3.eu-central-1.amazonaws.com', '/my-events/a/b%20c'],
  [{ bucket: 'my.events' }, 'https://s3.eu-central-1.amazonaws.com', '/my.events/a/b%20c'],
  [{ region: 'cn-north-1' }, 'https://my-events.s3.cn-north-1.amazonaws.com.cn', '/a/b%20c'],
  [{ endpoint: 'https://store.example:9000/s3/' }, 'https://my-events.store.example:9000', '/s3/a/b%20c'],
  [{ endpoint: 'http://10.0.0.1:9000' }, 'http://10.0.0.1:9000', '/my-events/a/b%20c'],
])("with the settings %j, an object's address is %s", (given, origin, path) => {
  const address = bucketAddress({ bucket: 'my-events', region, endpoint: undefined, path_style: false, ...given })
  expect([address.origin, objectPath(address, 'a/b c')]).toEqual([origin, path])
})

test.each([
  ['bucket', { bucket: 'a' }],
  ['bucket', { bucket: 'a/b' }],
  ['bucket', { bucket: 'evil.example#' }],
  ['region', { region: 'eu.central' }],
  ['prefix', { prefix: 'a/../b' }],
  ['prefix', { prefix: 'a\nb' }],
  ['wait_seconds', { wait_seconds: 5 }],
  ['endpoint', { endpoint: 'https://x.example/?a=1' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const whole = { ...credentials, region, bucket: 'my-events', ...given }
  expect(validateSettings(s3, whole)).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
