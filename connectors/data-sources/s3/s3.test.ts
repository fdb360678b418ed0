import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createEgressPolicy, createRequestClient, DeliveryError, fileTable } from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signatureRefusal } from '../../wire/s3/testing-signature.ts'
import { s3 } from './definition.ts'
import { check } from './settings.ts'

const credentials = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const region = 'eu-central-1'
const allowed = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
const guarded = createRequestClient({ egress: createEgressPolicy({ allow: [] }), logger: silentLogger })

type Stored = { content: string | Uint8Array; changed?: string }
/**
 * Objects of the bucket `exports` by key, the received requests, and responses of a test that replace those of the
 * storage.
 */
const objects = new Map<string, Stored>()
const asked: string[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response
    .writeHead(status)
    .end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>About ${code}.</Message></Error>`)
}

/** Responds like ListObjectsV2, by its documentation, with pages of two keys. */
const list = (query: URLSearchParams, response: ServerResponse): void => {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).toSorted()
  const from = Number(query.get('continuation-token')?.split('&')[1] ?? 0)
  const contents = keys.slice(from, from + 2).map((key) => {
    const { content, changed = '2026-01-31T10:00:00.000Z' } = objects.get(key) ?? { content: '' }
    const name = encodeURIComponent(key).replaceAll('%20', '+')
    return `<Contents><Key>${name}</Key><LastModified>${changed}</LastModified><Size>${Buffer.from(content).length}</Size></Contents>`
  })
  const more = from + 2 < keys.length
  const next = more ? `<NextContinuationToken>page&amp;${from + 2}</NextContinuationToken>` : ''
  response.end(
    `<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`,
  )
}

const server = createServer((request, response) => {
  const { method = '', url = '', headers } = request
  asked.push(`${method} ${url}`)
  const code = signatureRefusal({ method, url, headers, bytes: new Uint8Array() }, credentials, region)
  if (code !== undefined) return refuse(response, 403, code)
  if (answer(request, response)) return
  const { pathname, searchParams } = new URL(url, 'http://storage')
  if (!pathname.startsWith('/exports/')) return refuse(response, 404, 'NoSuchBucket')
  if (pathname === '/exports/') return list(searchParams, response)
  const stored = objects.get(decodeURIComponent(pathname.slice('/exports/'.length)))
  if (stored === undefined) return refuse(response, 404, 'NoSuchKey')
  response.end(stored.content)
})

let folder: string
let endpoint: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-s3-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  objects.clear()
  asked.length = 0
  answer = () => false
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await Promise.all([allowed.close(), guarded.close()])
  await rm(folder, { recursive: true, force: true })
})

const open = (more: object = {}, by = allowed) => {
  const settings = { ...credentials, region, bucket: 'exports', objects: '*.csv', endpoint, path_style: true, ...more }
  const given = { which: 'all', format: 'auto', delimiter: 'auto', header: true, ...settings }
  return s3.open({
    settings: given,
    connect: by.connect,
    signal: new AbortController().signal,
    statementMs: 1000,
    scratch: { path: join(folder, 'one'), maxBytes: 100_000, hasRoom: () => true },
  })
}
const query = { schema: fileTable.schema, table: fileTable.name }
const rowsOf = async (more: object = {}) => {
  await using session = await open(more)
  const rows = []
  for await (const batch of session.read(query, 1_000_000)) rows.push(...batch)
  return rows
}

test('the objects that match a pattern are listed over pages with a valid signature, and form one table', async () => {
  objects.set('a/1.csv', { content: '\u{feff}id;name\n1;Ada\n' })
  objects.set('a/2 & ü+.csv', { content: 'name,id\n"x, ""y""",2\n' })
  objects.set('a/3.csv.gz', { content: gzipSync('id,name\n3,z\n') })
  objects.set('a/4.csv', { content: '' })
  objects.set('b/5.csv', { content: 'id\n5' })
  expect(await rowsOf({ objects: 'a/*.csv*' })).toEqual([
    ['1', 'Ada'],
    ['2', 'x, "y"'],
    ['3', 'z'],
  ])
  // A file uses disk space only while it is being read.
  expect(await readdir(folder)).toEqual([])
})

test('Parquet and NDJSON are read; if chosen, only the last changed of several objects is read', async () => {
  objects.set('new.parquet', {
    content: await readFile(new URL('../../wire/files/parquet/testing/pages-zstd.parquet', import.meta.url)),
    changed: '2026-02-02T00:00:00.000Z',
  })
  objects.set('old.ndjson', { content: '{"id":7}', changed: '2026-02-01T00:00:00.000Z' })
  expect(await rowsOf({ objects: '*', which: 'newest' })).toHaveLength(300)
  expect(await rowsOf({ objects: 'old.ndjson' })).toEqual([['7']])
})

test('the connection test names the objects, reads a byte of one, and downloads none', async () => {
  for (let at = 0; at < 12; at++) objects.set(`f${String(at).padStart(2, '0')}.csv`, { content: 'id\n1\n' })
  await using session = await open()
  expect(await session.about()).toBe(
    '12 objects, 1 kB: f00.csv, f01.csv, f02.csv, f03.csv, f04.csv, f05.csv, f06.csv, f07.csv, f08.csv, f09.csv, and 2 more.',
  )
  expect(asked.filter((each) => !each.includes('list-type'))).toEqual(['GET /exports/f00.csv'])
})

test.each<[string, object, () => void, string]>([
  ['whose secret is wrong', { secret_access_key: 'another' }, () => {}, 'SignatureDoesNotMatch'],
  ['that is not there', { bucket: 'other' }, () => {}, 'NoSuchBucket'],
  ['in which nothing matches', { objects: 'none*' }, () => {}, 'No object in the bucket exports matches none*'],
  [
    'in another region',
    {},
    () => {
      answer = (_, response) => {
        response.setHeader('x-amz-bucket-region', 'us-west-2')
        refuse(response, 301, 'PermanentRedirect')
        return true
      }
    },
    'The bucket is in the region us-west-2',
  ],
  [
    'that is overloaded',
    {},
    () => {
      answer = (_, response) => {
        refuse(response, 503, 'SlowDown')
        return true
      }
    },
    'RetryableError: SlowDown',
  ],
  [
    'that is a web page',
    {},
    () => {
      answer = (_, response) => Boolean(response.end('<html><body>Welcome'))
    },
    'something else than a list of objects',
  ],
  [
    'whose list has no end',
    {},
    () => {
      answer = (_, response) => {
        const page = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>`
        return Boolean(response.end(page))
      }
    },
    'More than 20,000 objects begin with ""',
  ],
  [
    'whose page has no end',
    {},
    () => {
      answer = (_, response) => {
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
          response.once('drain', more)
        }
        more()
        return true
      }
    },
    'a list of objects without end',
  ],
])('a bucket %s results in a readable message', async (_, more, prepare, words) => {
  prepare()
  await using session = await open(more)
  const failure = await session.describe(query).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect(String(failure)).toContain(words)
  expect(String(failure)).not.toContain(credentials.secret_access_key)
})

test.each<[string, string | Uint8Array, string, string]>([
  ['is too large', 'id\n'.padEnd(100_001, '1\n'), 'a.csv', 'The file has more than'],
  ['unpacks to more than there is room for', gzipSync(Buffer.alloc(1_000_000)), 'a.csv.gz', 'The file has more than'],
  ['is said to be gzip', 'id\n1', 'a.csv.gz', 'not valid gzip'],
  ['is cut off', gzipSync('id\n1').subarray(0, -4), 'a.csv.gz', 'not valid gzip, or is not whole'],
  ['has a broken quote', 'id,name\n1,"a\n', 'a.csv', 'Line 2: a quote is not closed'],
  ['is no Parquet', 'PAR1', 'a.parquet', 'not a Parquet file'],
  ['has no known format', 'x', 'a.bin', 'Choose the format in the settings'],
])('an object that %s is refused with a readable message', async (_, content, key, words) => {
  objects.set(key, { content })
  await expect(rowsOf({ objects: key })).rejects.toThrow(words)
  expect(await readdir(folder)).toEqual([])
})

test('several objects together may have the size of one file', async () => {
  for (const key of ['a.csv', 'b.csv', 'c.csv']) objects.set(key, { content: 'id\n'.padEnd(40_000, '1\n') })
  await expect(rowsOf()).rejects.toThrow('The file has more than')
})

test('a private address is refused without a request', async () => {
  await using session = await open({}, guarded)
  await expect(session.about()).rejects.toThrow('not public')
  expect(asked).toEqual([])
})

test('a key that begins or ends with a slash is refused before it is saved', () => {
  const given = { bucket: 'exports', region }
  for (const objects of ['/a.csv', 'a/']) expect(Object.keys(check({ ...given, objects }))).toEqual(['objects'])
  expect(check({ ...given, objects: 'a/*.csv' })).toEqual({})
})
