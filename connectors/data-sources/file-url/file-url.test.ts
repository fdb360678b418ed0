import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  createEgressPolicy,
  createRequestClient,
  DataQueryError,
  DeliveryError,
  fileTable,
} from '@tributary/connector-kit'
import { selfSigned } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileUrl } from './definition.ts'

/** Every host name resolves to this machine. */
const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
const client = (allow: string[]) =>
  createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger, lookup })
const guarded = client([])
const allowed = client(['127.0.0.0/8'])

let folder: string
let origin: string
let answer: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => answer(request, response))
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-url-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await Promise.all([guarded.close(), allowed.close()])
  await rm(folder, { recursive: true, force: true })
})

let files = 0
const open = (
  given: { path?: string; headers?: Record<string, string>; signal?: AbortSignal; by?: typeof allowed } = {},
) => {
  const { path = '/a.csv', headers, signal = new AbortController().signal, by = allowed } = given
  return fileUrl.open({
    settings: { url: origin + path, format: 'auto', delimiter: 'auto', header: true, ...(headers && { headers }) },
    connect: by.connect,
    signal,
    statementMs: 1000,
    scratch: { path: join(folder, String(files++)), maxBytes: 1000, hasRoom: () => true },
  })
}

test('a file is downloaded with the headers of the settings, and read', async () => {
  answer = (request, response) => response.end(`id,token\n1,${request.headers.authorization ?? ''}\n`)
  await using session = await open({ headers: { Authorization: 'Bearer x' } })
  const rows = []
  for await (const batch of session.read({ schema: fileTable.schema, table: fileTable.name }, 10)) rows.push(...batch)
  expect(rows).toEqual([['1', 'Bearer x']])
  expect(await session.about()).toBe('a.csv: 1 row.')
})

test.each<[string, typeof answer, string]>([
  ['that is not there', (_, response) => response.writeHead(404).end(), 'status 404'],
  ['whose server fails', (_, response) => response.writeHead(503).end(), 'status 503'],
  [
    'that is elsewhere',
    (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'redirects (status 302)',
  ],
  [
    'that is compressed',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    'compressed',
  ],
  [
    'that is announced to be too large',
    (_, response) => response.writeHead(200, { 'content-length': 2000 }).write('id'),
    'The file has more than',
  ],
  [
    'that has no end',
    (_, response) => void (response.write('id\n'), response.write('1\n'.repeat(2000))),
    'The file has more than',
  ],
  [
    'that ends too soon',
    (_, response) => {
      response.writeHead(200, { 'content-length': 500 })
      response.write('id\n1\n', () => response.destroy())
    },
    'RetryableError',
  ],
])('a file %s is refused with a readable message', async (_, answered, words) => {
  answer = answered
  const failure = await open().then(
    () => undefined,
    (error: unknown) => error,
  )
  // An error in the file is reported as such, not as a failed download.
  expect(failure).toBeInstanceOf(words === 'The file has more than' ? DataQueryError : DeliveryError)
  expect(String(failure)).toContain(words)
})

test('a private address is refused', async () => {
  let asked = false
  answer = (_, response) => {
    asked = true
    response.end('id\n1')
  }
  await expect(open({ by: guarded })).rejects.toThrow('not public')
  expect(asked).toBe(false)
})

test('a download from a silent server ends with its call', async () => {
  const giving = new AbortController()
  answer = () => giving.abort()
  await expect(open({ signal: giving.signal })).rejects.toThrow(DeliveryError)
})

test('over TLS, the file is read only from a server with a trusted certificate', async () => {
  const secure = createSecureServer(selfSigned, (_, response) => response.end('id\n7'))
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const before = origin
  origin = `https://hooks.example.com:${(secure.address() as AddressInfo).port}`
  const authorities = getCACertificates('default')
  try {
    await expect(open()).rejects.toThrow(DeliveryError)
    setDefaultCACertificates([...authorities, selfSigned.cert])
    await using session = await open()
    expect(await session.about()).toBe('a.csv: 1 row.')
  } finally {
    origin = before
    setDefaultCACertificates(authorities)
    secure.closeAllConnections()
    secure.close()
  }
})
