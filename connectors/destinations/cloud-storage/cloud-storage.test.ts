import { gunzipSync } from 'node:zlib'
import { ConfigurationError, RetryableError, validateSettings } from '@tributary/connector-kit'
import { outgoingEvent, runConnectorRows } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { expect, it } from 'vitest'
import { signatureRefusal } from '../../wire/s3/testing-signature.ts'
import { cloudStorage } from './definition.ts'

const credentials = {
  access_key_id: 'GOOGTS7C7FUP3AIRVJTE2BCD',
  secret_access_key: 'bGoa+V7g/yqDXvKRqq+JTFn4uQZbPiQJo4pf9RzJ',
}
const settings = { ...credentials, bucket: 'my.events' }
const origins = ['https://storage.googleapis.com']

// "HTTP status and error codes for XML" of Cloud Storage.
const errorBody = (code: string): string =>
  `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>About ${code}.</Message></Error>`

/** Checks the signature for the address that was called, instead of that of the stand-in. */
const vendor = ({ method, path, host, raw }: VendorRequest) => {
  const { bytes, headers } = raw
  const signed = { method, url: path, headers: { ...headers, host }, bytes }
  const code = signatureRefusal(signed, credentials, 'auto')
  if (code !== undefined) return { status: 403, body: errorBody(code) }
  return { status: method === 'PUT' ? 200 : 204 }
}

const track = outgoingEvent({}, { action: 'write_line' })
const identify = outgoingEvent(
  { eventId: '0-2-0', messageId: 'message-2', type: 'identify', event: '', traits: { plan: 'pro' } },
  { action: 'write_line' },
)

testDestination(cloudStorage, {
  origins,
  settings: () => settings,
  secrets: [credentials.secret_access_key],
  vendor,
  events: [track, identify],
  requests: [
    {
      method: 'PUT',
      host: 'storage.googleapis.com',
      path: expect.stringMatching(/^\/my\.events\/events\/dt%3D2026-01-02\/hr%3D03\/[-0-9a-f]+\.json\.gz$/) as string,
    },
  ],
  connected: 'The object events/.tributary-test in the bucket my.events was written and deleted.',
  badCredentials: {
    settings: () => ({ ...settings, secret_access_key: 'another-secret' }),
    message: 'SignatureDoesNotMatch',
  },
  successByStatus: true,
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

it('rows of a sync are lines of an object', async () => {
  const { asked, rebase } = await startVendor({ origins }, vendor)
  const { outcomes } = await runConnectorRows(cloudStorage, settings, rows, {
    rebase,
    now: Date.parse('2026-01-31T13:00:00Z'),
  })
  expect(outcomes).toEqual([{ kind: 'delivered' }])
  expect(gunzipSync(asked[0]?.raw.bytes ?? '').toString()).toBe(
    '{"_operation":"upsert","_key":"a","_written_at":"2026-01-31T13:00:00.000Z","id":"a"}\n',
  )
})

it.each([
  ['NoSuchBucket', 404, ConfigurationError],
  ['AccessDenied', 403, ConfigurationError],
  ['SlowDown', 429, RetryableError],
  ['InternalError', 500, RetryableError],
])('the response %s with status %i holds or repeats the rows', async (code, status, kind) => {
  const { rebase } = await startVendor({ origins }, () => ({ status, body: errorBody(code) }))
  await expect(runConnectorRows(cloudStorage, settings, rows, { rebase })).rejects.toThrow(kind)
})

it.each([
  ['bucket', { bucket: 'a/b' }],
  ['bucket', { bucket: 'Capital' }],
  ['prefix', { prefix: '../a' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const checked = validateSettings(cloudStorage, { ...settings, ...given })
  expect(checked).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
