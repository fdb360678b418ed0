import { createHash, createHmac } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import {
  ConfigurationError,
  createEgressPolicy,
  EgressRefusedError,
  RejectedError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import {
  outgoingEvent,
  type PeerAnswer,
  runConnectionTest,
  runConnector,
  runConnectorRows,
} from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { azureBlobStorage } from './definition.ts'
import { sharedKey } from './shared-key.ts'

/** The well-known account of the emulators ("Use the Azurite emulator for local Azure Storage development"). */
const account = 'devstoreaccount1'
const accountKey = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const settings = { account, container: 'my-events', account_key: accountKey }
const origins = [`https://${account}.blob.core.windows.net`]

/** Returns an error in the form of "Status and error codes". */
const errorOf = (status: number, code: string, more = ''): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/xml', 'x-ms-error-code': code },
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>About ${code}.\nRequestId:1\nTime:2026-01-02T03:04:05Z</Message>${more}</Error>`,
})

/** Checks the signature like its receiver, of the received request alone ("Authorize with Shared Key"). */
const isSigned = ({ method, path, headers, raw }: VendorRequest): boolean => {
  const value = (name: string): string => headers[name] ?? ''
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'))
  const length = raw.bytes.length === 0 ? '' : `${raw.bytes.length}`
  const text = `${method}\n\n\n${length}\n${value('content-md5')}\n${value('content-type')}\n\n\n\n\n\n\n${own
    .toSorted()
    .map((name) => `${name}:${value(name)}\n`)
    .join('')}/${account}${path}`
  const signature = createHmac('sha256', Buffer.from(accountKey, 'base64')).update(text).digest('base64')
  return value('authorization') === `SharedKey ${account}:${signature}`
}

// "Put Blob" and "Delete Blob": headers that must be there, and the statuses of success.
const vendor = (request: VendorRequest): PeerAnswer => {
  const { method, headers, query, raw } = request
  const isAllowed = query.sig === undefined ? isSigned(request) : query.sig === 'good+sig='
  if (!isAllowed) return errorOf(403, 'AuthenticationFailed')
  expect(headers['x-ms-version']).toBe('2019-07-07')
  if (method === 'DELETE') return { status: 202 }
  expect(headers['x-ms-blob-type']).toBe('BlockBlob')
  expect(headers['content-md5']).toBe(createHash('md5').update(raw.bytes).digest('base64'))
  return { status: 201 }
}

const track = outgoingEvent({ properties: { note: 'ü' } }, { action: 'write_line' })
const identify = outgoingEvent(
  { eventId: '0-2-0', messageId: 'message-2', type: 'identify', event: '', traits: { plan: 'pro' } },
  { action: 'write_line' },
)

testDestination(azureBlobStorage, {
  origins,
  settings: () => settings,
  secrets: [accountKey],
  vendor,
  events: [track, identify],
  requests: [
    {
      method: 'PUT',
      host: `${account}.blob.core.windows.net`,
      path: expect.stringMatching(/^\/my-events\/events\/dt%3D2026-01-02\/hr%3D03\/[-0-9a-f]+\.json\.gz$/) as string,
    },
  ],
  connected: 'The blob events/.tributary-test in the container my-events was written and deleted.',
  badCredentials: {
    settings: () => ({ ...settings, account_key: 'YW5vdGhlciBrZXk=' }),
    message: 'AuthenticationFailed: About AuthenticationFailed.',
  },
})

describe('a signature', () => {
  const url =
    'https://devstoreaccount1.blob.core.windows.net/my-events/events/dt%3D2026-01-02/hr%3D03/a%20b%2B%C3%BC.json.gz'
  const common = { 'x-ms-version': '2026-10-06', 'x-ms-date': 'Fri, 02 Jan 2026 03:04:05 GMT' }

  // Requests of @azure/storage-blob 12.34.0: `upload` of "hello" and `delete` at the time of their header x-ms-date.
  it.each([
    [
      'PUT',
      {
        ...common,
        'content-type': 'application/octet-stream',
        'x-ms-blob-content-type': 'application/gzip',
        'x-ms-blob-type': 'BlockBlob',
        'x-ms-client-request-id': 'cd4c383b-0c51-4139-9c13-2a5712d7d693',
      },
      5,
      'jR6A0ZJfihL4B41W+9k6VU5cbDYKCJYHZkI1yOkXUEk=',
    ],
    [
      'DELETE',
      { ...common, 'x-ms-client-request-id': '66e92ca1-3bba-4a83-b454-3cf2c396c3a5' },
      0,
      'dyt2CpIBlOzolJNAptpWqXHoZ8KDOPwdWoSSH6jl/tY=',
    ],
  ])("of %s is that of Microsoft's own client", (method, headers, bytes, signature) => {
    const header = sharedKey({ account, key: accountKey }, { method, url, headers, bytes })
    expect(header).toBe(`SharedKey ${account}:${signature}`)
  })
})

const rows = [
  {
    recordId: 'run-1.1',
    operation: 'upsert' as const,
    object: 'changes/ndjson/customers',
    key: 'a',
    json: '{"id":"a"}',
  },
]

it('events and rows are lines of a blob, and a repeated batch has the same name', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const now = Date.parse('2026-01-31T13:00:00Z')
  for (let time = 0; time < 2; time++) await runConnector(azureBlobStorage, settings, [track], { rebase, now })
  await runConnectorRows(azureBlobStorage, settings, rows, { rebase, now })
  const [one, two, changes] = asked
  expect(gunzipSync(one?.raw.bytes ?? '').toString()).toBe(`${track.json}\n`)
  expect(two?.path).toBe(one?.path)
  expect(changes?.path).toMatch(/^\/my-events\/events\/customers\/run%3Drun-1\/1-[0-9a-f]{16}\.ndjson\.gz$/)
})

it('a SAS token is sent in the query, and is in nothing that is stored', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const { account_key: _, ...rest } = settings
  const token = '?sv=2024-11-04&sr=c&sp=cwd&sig=good%2Bsig%3D'
  const given = { ...rest, sas_token: token }
  const { outcomes } = await runConnector(azureBlobStorage, given, [track], { rebase })
  expect(outcomes).toEqual([{ kind: 'delivered' }])
  expect(asked[0]?.query).toEqual({ sv: '2024-11-04', sr: 'c', sp: 'cwd', sig: 'good+sig=' })
  expect(asked[0]?.headers['authorization']).toBeUndefined()
  const wrong = { ...given, sas_token: token.replace('good', 'bad') }
  const failure = await runConnector(azureBlobStorage, wrong, [track], { rebase }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigurationError)
  const { exchange } = failure as ConfigurationError
  expect(exchange?.request).toContain('PUT ')
  expect(JSON.stringify(exchange)).not.toContain('bad%2Bsig')
})

it('an endpoint with a path is that of an emulator, and a private address is refused', async () => {
  const { peer, asked } = await startVendor({ origins }, vendor)
  const given = { ...settings, endpoint: `${peer.url}${account}/` }
  expect((await runConnector(azureBlobStorage, given, [track])).outcomes).toEqual([{ kind: 'delivered' }])
  expect(asked[0]?.path).toContain(`/${account}/my-events/events/`)
  const egress = createEgressPolicy()
  await expect(runConnector(azureBlobStorage, given, [track], { egress })).rejects.toThrow(EgressRefusedError)
})

it('blobs that were accepted are not written again if another of the batch fails', async () => {
  let count = 0
  const { rebase } = await startVendor({ origins }, (request) =>
    ++count === 2 ? errorOf(503, 'ServerBusy') : vendor(request),
  )
  const later = outgoingEvent({ eventId: '0-3-0', receivedAt: '2026-01-02T04:04:05.678Z' }, { action: 'write_line' })
  const { outcomes } = await runConnector(azureBlobStorage, settings, [track, later], { rebase })
  expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'retry', reason: 'ServerBusy: About ServerBusy.' }])
})

it.each([
  ['ContainerNotFound', 404, '', ConfigurationError],
  ['AuthorizationPermissionMismatch', 403, '', ConfigurationError],
  ['AccountIsDisabled', 403, '', ConfigurationError],
  ['ServerBusy', 503, '', RetryableError],
  ['OperationTimedOut', 500, '', RetryableError],
  ['AccountBeingCreated', 409, '', RetryableError],
  ['Md5Mismatch', 400, '', RetryableError],
  [
    'AuthenticationFailed',
    403,
    '<AuthenticationErrorDetail>Request date header too old: x</AuthenticationErrorDetail>',
    RetryableError,
  ],
  ['RequestBodyTooLarge', 413, '', RejectedError],
])('the response %s with status %i holds, repeats, or rejects the events', async (code, status, more, kind) => {
  const { rebase } = await startVendor({ origins }, () => errorOf(status, code, more))
  const failure = await runConnector(azureBlobStorage, settings, [track], { rebase }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(kind)
  expect((failure as Error).message).toContain(`${code}: About ${code}.`)
})

it('the connection test succeeds if nothing can be deleted, and names the remaining blob', async () => {
  const { rebase } = await startVendor({ origins }, (request) =>
    request.method === 'DELETE' ? errorOf(403, 'AuthorizationPermissionMismatch') : vendor(request),
  )
  expect(await runConnectionTest(azureBlobStorage, settings, { rebase })).toMatchObject({
    ok: true,
    message: expect.stringContaining('It was not deleted') as string,
  })
})

it.each([
  ['account', { account: 'My-Account' }],
  ['account', { account: 'evil.example#' }],
  ['container', { container: 'a--b' }],
  ['container', { container: 'a/b' }],
  ['account_key', { account_key: undefined }],
  ['account_key', { account_key: 'AccountName=a;AccountKey=b' }],
  ['sas_token', { sas_token: 'https://a.example/?sv=1' }],
  ['sas_token', { sas_token: 'sv=1&sig=a#b' }],
  ['prefix', { prefix: 'a/../b' }],
  ['endpoint', { endpoint: 'https://x.example/?a=1' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const checked = validateSettings(azureBlobStorage, { ...settings, ...given })
  expect(checked).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
