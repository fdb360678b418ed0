import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { type ContentEncoding, chooseEncoding } from './content-encoding.ts'
import { contentPolicy, type PolicySources } from './content-policy.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/** Returns the hashes of the inline scripts in the page. No other inline scripts are allowed. */
const inlineHashes = (html: string): string[] =>
  html
    .split('</script>')
    .slice(0, -1)
    .flatMap((text) => {
      const start = text.indexOf('<script')
      const end = start < 0 ? -1 : text.indexOf('>', start)
      const isInline = end >= 0 && !/\bsrc=/.test(text.slice(start, end))
      return isInline
        ? [
            `'sha256-${createHash('sha256')
              .update(text.slice(end + 1))
              .digest('base64')}'`,
          ]
        : []
    })

/** Pages to which users return after third-party consent. */
const returnPaths: ReadonlySet<string> = new Set(['/destination-oauth-callback', '/app-oauth-callback'])

/**
 * Creates a check whether the application has a page at a path, by the patterns that its build recorded. Without these
 * patterns, the result is always true.
 */
const pageTest = (folder: string): ((path: string) => boolean) => {
  const list = join(folder, '.pages.json')
  if (!existsSync(list)) return () => true
  const segmentsOf = (text: string): string[] => text.toLowerCase().split('/')
  const patterns = (JSON.parse(readFileSync(list, 'utf8')) as string[]).map((pattern) => ({
    segments: segmentsOf(pattern.replace(/\/\*$/, '')),
    isOpen: pattern.endsWith('/*'),
  }))
  return (path) => {
    const given = segmentsOf(path.replace(/^\//, '').replace(/\/$/, ''))
    return patterns.some(
      ({ segments, isOpen }) =>
        (isOpen ? given.length >= segments.length : given.length === segments.length) &&
        segments.every((segment, index) => (segment.startsWith(':') ? given[index] !== '' : segment === given[index])),
    )
  }
}

/** The header with which a browser loads the files of a workspace's pages in parallel to the script that needs them. */
const preloadOf = (folder: string): Record<string, string> => {
  const list = join(folder, '.preload.json')
  const files = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as string[]) : []
  return files.length === 0 ? {} : { link: files.map((file) => `<${file}>; rel=modulepreload`).join(', ') }
}

/** A file in the encodings that the build created. */
type WebFile = { type: string; etag: string; bodies: Map<ContentEncoding, Buffer>; codings: ContentEncoding[] }

/** Suffixes of compressed files. */
const compressed = { br: '.br', gzip: '.gz' } as const

const readWebFile = (file: string): WebFile => {
  const body = readFileSync(file)
  const bodies = new Map<ContentEncoding, Buffer>([['identity', body]])
  for (const coding of ['br', 'gzip'] as const)
    if (existsSync(file + compressed[coding])) bodies.set(coding, readFileSync(file + compressed[coding]))
  const etag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { type: types[extname(file)] ?? 'application/octet-stream', etag, bodies, codings: [...bodies.keys()] }
}

/** All files below the folder by path, except hidden files and compressed copies. */
const readWebFiles = (folder: string): Map<string, WebFile> => {
  const files = new Map<string, WebFile>()
  if (!existsSync(folder)) return files
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length)),
  )
  for (const path of paths) {
    const twin = Object.values(compressed).some((end) => path.endsWith(end) && paths.has(path.slice(0, -end.length)))
    if (!twin && !path.includes('/.')) files.set(path, readWebFile(join(folder, path)))
  }
  return files
}

type Answer = { status: number; headers: Record<string, string | undefined>; cache: string }

/** Sends a file in the encoding that the client prefers, or 304 if the client has it in that encoding. */
const sendFile = (request: IncomingMessage, response: ServerResponse, file: WebFile, answer: Answer): void => {
  const accepted = request.headers['accept-encoding']
  const coding = chooseEncoding(typeof accepted === 'string' ? accepted : undefined, file.codings)
  const body = file.bodies.get(coding) ?? Buffer.alloc(0)
  // A strong ETag identifies one sequence of bytes, so each encoding has its own.
  const etag = `"${file.etag}${coding === 'identity' ? '' : `-${coding}`}"`
  const common = {
    ...answer.headers,
    'cache-control': answer.cache,
    etag,
    ...(file.codings.length > 1 ? { vary: 'Accept-Encoding' } : {}),
  }
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (answer.status === 200 && known?.some((tag) => tag === etag || tag === '*') === true) {
    response.writeHead(304, common).end()
    return
  }
  response.writeHead(answer.status, {
    ...common,
    'content-type': file.type,
    'content-length': body.length,
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/**
 * Serves the built web application: files below `folder`, and its index.html for every other path. The status is 200
 * for pages of the application, and 404 for others, where it shows that there is no such page. Files are read once and
 * kept, about 4 MB with their compressed copies, so that open pages find all of their files after a rebuild. Each is
 * sent in the encoding that the client prefers; nothing is compressed here. Hashed assets are cached for a year,
 * everything else is revalidated by its ETag. A strict content policy covers every response and allows only `sources`.
 */
export const createWebFiles = (
  folder: string,
  sources: PolicySources = {},
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  const files = readWebFiles(folder)
  const index = files.get('/index.html')
  const isPage = pageTest(folder)
  const preload = preloadOf(folder)
  const policy = contentPolicy(inlineHashes(index?.bodies.get('identity')?.toString() ?? ''), sources)
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    // Keeps the connection to a popup that asks for third-party consent.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end()
      return
    }
    let path: string
    try {
      path = decodeURIComponent(new URL(request.url ?? '/', 'http://local').pathname)
    } catch {
      response.writeHead(400, headers).end()
      return
    }
    const asset = path.startsWith('/assets/')
    const file = files.get(path)
    if (file !== undefined && file !== index) {
      const cache = asset ? 'public, max-age=31536000, immutable' : 'no-cache'
      // The policy of a page also covers its scripts. Among the files, only pictures may be opened as pages.
      const own = asset && !file.type.startsWith('image/') ? { 'x-content-type-options': 'nosniff' } : headers
      sendFile(request, response, file, { status: 200, headers: own, cache })
      return
    }
    if (asset || index === undefined) {
      response
        .writeHead(404, { ...headers, 'content-type': 'text/plain' })
        .end(index === undefined ? 'The web application is not built: run npm start.' : 'Not found')
      return
    }
    // A popup that returns to one of these pages needs its opener and must be able to close itself, so the page does
    // without this protection.
    const returning = returnPaths.has(path) ? { 'cross-origin-opener-policy': 'unsafe-none' } : {}
    sendFile(request, response, index, {
      status: isPage(path) ? 200 : 404,
      headers: { ...headers, ...returning, ...(path.startsWith('/workspaces/') ? preload : {}) },
      cache: 'no-cache',
    })
  }
}
