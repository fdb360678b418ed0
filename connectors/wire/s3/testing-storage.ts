import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { signatureRefusal } from './testing-signature.ts'

/** An object in the bucket. */
type Held = { bytes: Buffer; contentType: string }

export type TestBucket = AsyncDisposable & {
  /** The data for accessing the bucket. */
  access: {
    bucket: string
    region: string
    access_key_id: string
    secret_access_key: string
    endpoint: string
    path_style: true
  }
  objects: Map<string, Held>
  /** `method key?query` of each request with a valid signature, in order of arrival. */
  asked: string[]
  /** Responds to a request instead of the storage if it returns true. */
  answer: (request: IncomingMessage, response: ServerResponse, number: number) => boolean
  /** Stops listening, as if the storage were unavailable. `open` listens again at the same address. */
  close(): Promise<void>
  open(): Promise<void>
}

/** Refuses a request as S3 does. */
export const refuseRequest = (response: ServerResponse, status: number, code: string): void => {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>About ${code}.</Message></Error>`)
}

/** Responds like ListObjectsV2, by its documentation, in pages of `pageKeys`. */
const list = (objects: TestBucket['objects'], query: URLSearchParams, pageKeys: number): string => {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).toSorted()
  const from = Number(query.get('continuation-token')?.split('&')[1] ?? 0)
  const contents = keys.slice(from, from + pageKeys).map((key) => {
    const name = encodeURIComponent(key).replaceAll('%20', '+')
    return `<Contents><Key>${name}</Key><LastModified>2026-01-31T10:00:00.000Z</LastModified><Size>${objects.get(key)?.bytes.length}</Size></Contents>`
  })
  const more = from + pageKeys < keys.length
  const next = more ? `<NextContinuationToken>page&amp;${from + pageKeys}</NextContinuationToken>` : ''
  return `<?xml version="1.0"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`
}

/**
 * Starts a bucket on loopback that stores objects of requests with a valid signature, and refuses all other requests.
 */
export const startTestBucket = async ({ pageKeys = 2 } = {}): Promise<TestBucket> => {
  const credentials = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
  const region = 'eu-central-1'
  const bucket = 'pictures'
  const objects: TestBucket['objects'] = new Map()
  const asked: string[] = []
  let number = 0

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(request)
    const { method = '', url = '', headers } = request
    const code = signatureRefusal({ method, url, headers, bytes }, credentials, region)
    if (code !== undefined) return refuseRequest(response, 403, code)
    const { pathname, searchParams, search } = new URL(url, 'http://storage')
    const base = `/${bucket}/`
    const key = decodeURIComponent(pathname.slice(base.length))
    asked.push(`${method} ${key}${search}`)
    if (made.answer(request, response, number++)) return
    if (!pathname.startsWith(base)) return refuseRequest(response, 404, 'NoSuchBucket')
    if (key === '') return void response.end(list(objects, searchParams, pageKeys))
    const held = objects.get(key)
    if (method === 'PUT') {
      objects.set(key, { bytes, contentType: headers['content-type'] ?? 'binary/octet-stream' })
      response.end()
    } else if (method === 'DELETE') {
      objects.delete(key)
      response.writeHead(204).end()
    } else if (held === undefined) refuseRequest(response, 404, 'NoSuchKey')
    else response.writeHead(200, { 'content-type': held.contentType }).end(held.bytes)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  const made: TestBucket = {
    access: { ...credentials, region, bucket, endpoint: `http://127.0.0.1:${port}`, path_style: true },
    objects,
    asked,
    answer: () => false,
    close,
    async open() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    [Symbol.asyncDispose]: close,
  }
  return made
}
