import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  createEgressPolicy,
  createRequestClient,
  DataQueryError,
  DeliveryError,
  fileTable,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSession } from './session.ts'
import { check } from './settings.ts'
import { createRowReader } from './sheet-rows.ts'

const spreadsheet = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgVE2upms'
const email = 'reader@project.iam.gserviceaccount.com'
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const keyFile = JSON.stringify({ type: 'service_account', client_email: email, private_key: keys.privateKey }, null, 2)
const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })

/** The sheets by title, the received requests, and responses of a test that replace values. */
const sheets = new Map<string, unknown[][]>()
const asked: string[] = []
let answerValues: ((response: ServerResponse) => void) | undefined

const say = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Whether an assertion follows Google's page: RS256 over header and claims, with the account as its issuer. */
const isAsserted = (assertion: string, audience: string): boolean => {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const isSigned = createVerify('RSA-SHA256')
    .update(`${header}.${claims}`)
    .verify(createPublicKey(keys.publicKey), signature, 'base64url')
  const { iss, aud, scope, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  return isSigned && iss === email && aud === audience && scope.endsWith('.readonly') && exp - iat === 3600
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://google')
  asked.push(`${request.method} ${url.pathname}`)
  if (url.pathname === '/token')
    return void text(request).then((body) => {
      const form = new URLSearchParams(body)
      return isAsserted(form.get('assertion') ?? '', `${origin}/token`)
        ? say(response, 200, { access_token: 'token-1', expires_in: 3599 })
        : say(response, 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
    })
  const base = `/v4/spreadsheets/${spreadsheet}`
  if (request.headers.authorization !== 'Bearer token-1' || !url.pathname.startsWith(base))
    return say(response, 403, { error: { message: 'The caller does not have permission' } })
  if (url.pathname === base)
    return say(response, 200, {
      properties: { title: 'Customers' },
      sheets: [...sheets.keys()].map((title) => ({ properties: { title } })),
    })
  if (answerValues !== undefined) return answerValues(response)
  const title = /^\/values\/'(.*)'$/.exec(decodeURIComponent(url.pathname.slice(base.length)))?.[1] ?? ''
  const values = sheets.get(title.replaceAll("''", "'")) ?? []
  return say(response, 200, { range: title, majorDimension: 'ROWS', ...(values.length > 0 ? { values } : {}) })
})

let folder: string
let origin: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-sheets-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  sheets.clear()
  asked.length = 0
  answerValues = undefined
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await client.close()
  await rm(folder, { recursive: true, force: true })
})

const open = (more: { sheet?: string; key?: string; spreadsheet?: string; maxBytes?: number } = {}) => {
  const { maxBytes = 1_000_000, ...settings } = more
  const context = {
    settings: { spreadsheet, sheet: '', key: keyFile, ...settings },
    connect: client.connect,
    signal: new AbortController().signal,
    statementMs: 1000,
  }
  const scratch = { path: join(folder, 'one'), maxBytes, hasRoom: () => true }
  return openSession(context, scratch, { api: origin, tokenUrl: `${origin}/token` })
}
const query = { schema: fileTable.schema, table: fileTable.name }
const read = async (more: Parameters<typeof open>[0] = {}) => {
  await using session = open(more)
  const columns = await session.describe(query)
  const rows = []
  for await (const batch of session.read(query, 1_000_000)) rows.push(...batch)
  return { columns: columns.map(({ name, type }) => `${name} ${type}`), rows }
}

test('a sheet is read with one request, with types, and without unnamed columns and empty rows', async () => {
  sheets.set('Notes', [['x']])
  sheets.set("Q1 '26", [
    ['id', ' name ', '', 'total', 'since', 'active'],
    [1, 'Ada "the" first, ü [x] \\', 'a note', 1234567.5, '2026-01-31', true],
    [2, '', '', '', ''],
    [],
    ['', '', 'only a note'],
    [3, 'line\nbreak', '', -0.1, '2026-02-01', false, 'beyond'],
  ])
  expect(await read({ sheet: "q1 '26" })).toEqual({
    columns: ['id bigint', 'name text', 'total numeric', 'since date', 'active boolean'],
    rows: [
      ['1', 'Ada "the" first, ü [x] \\', '1234567.5', '2026-01-31', 't'],
      ['2', null, null, null, null],
      ['3', 'line\nbreak', '-0.1', '2026-02-01', 'f'],
    ],
  })
  expect(asked.filter((request) => request.includes('/values/'))).toHaveLength(1)
  expect(await readdir(folder)).toEqual([])
})

test('without a name, the first sheet is read, and the connection test names the sheet and the user', async () => {
  sheets.set('People', [['id'], ['1']])
  sheets.set('Other', [['x']])
  expect((await read()).columns).toEqual(['id bigint'])
  await using session = open()
  asked.length = 0
  expect(await session.about()).toBe(`Connected to the sheet People of the spreadsheet Customers as ${email}.`)
  expect(asked.filter((request) => request.includes('/values/'))).toEqual([])
})

test.each<[string, Parameters<typeof open>[0], string]>([
  ['a key that is none', { key: '{"client_email": 1}' }, 'Paste all that is in the JSON key file'],
  [
    'a private key that is none',
    { key: JSON.stringify({ client_email: email, private_key: 'secret-text' }) },
    'The private key in the service account key cannot be read',
  ],
  ['a key that Google does not know', { key: keyFile.replace(email, 'other@x.com') }, 'Invalid JWT Signature.'],
  ['a sheet that is not there', { sheet: 'Gone' }, 'The spreadsheet has no sheet called Gone'],
  ['a spreadsheet that is not shared', { spreadsheet: 'x'.repeat(44) }, `Share it with ${email}`],
])('opening with %s results in a readable message without any secret', async (_, more, words) => {
  sheets.set('People', [['id', 'text'], ...Array.from({ length: 50 }, (__, n) => [n, 'a text'])])
  sheets.set('Empty', [])
  const failure: unknown = await read(more).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect(String(failure)).toContain(words)
  expect(String(failure)).not.toMatch(/PRIVATE KEY|secret-text|token-1/)
})

test.each<[string, Parameters<typeof open>[0], string]>([
  ['without column names', { sheet: 'Empty' }, 'has no column names'],
  ['with more than there is room for', { sheet: 'People', maxBytes: 100 }, 'The file has more than'],
])('a sheet %s is refused as invalid, not as unreachable', async (_, more, words) => {
  sheets.set('People', [['id', 'text'], ...Array.from({ length: 50 }, (__, n) => [n, 'a text'])])
  sheets.set('Empty', [])
  const failure: unknown = await read(more).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DataQueryError)
  expect(String(failure)).toContain(words)
})

test.each<[string, (response: ServerResponse) => void]>([
  ['breaks off', (response) => void response.writeHead(200).end('{"range":"x","values":[["id"],["1"],["2')],
  ['is no list of rows', (response) => void response.writeHead(200).end('{"values":[["id"],[1,}]]}')],
  ['is a web page', (response) => void response.writeHead(200).end('<html>')],
  ['is a fault', (response) => say(response, 503, { error: { message: 'Later' } })],
])('a response that %s gives no rows', async (_, answer) => {
  sheets.set('People', [['id']])
  answerValues = answer
  await expect(read()).rejects.toThrow(DeliveryError)
})

test.each([1, 2, 3, 7, 1000])('a response in pieces of %i characters returns the same rows as the whole', (size) => {
  const rows = [['a', '[1,"2"]', ']]'], [], [1.5, true, '\\"', 'ü\u{1f600}'], ['"']]
  const whole = JSON.stringify({ range: "'a[]'!A1", majorDimension: 'ROWS', values: rows })
  const reader = createRowReader()
  const found: unknown[][] = []
  for (let at = 0; at < whole.length; at += size) found.push(...reader.push(whole.slice(at, at + size)))
  reader.end()
  expect(found).toEqual(rows)
})

test('an invalid key and an invalid spreadsheet are refused before they are saved', () => {
  expect(check({ spreadsheet, key: keyFile.replaceAll('\n', '') })).toEqual({})
  expect(Object.keys(check({ spreadsheet: 'https://example.com', key: 'x' })).toSorted()).toEqual([
    'key',
    'spreadsheet',
  ])
})
