import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'
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

/** Inline scripts of the page are allowed by their hash only. */
const inlineHashes = (html: string): string[] =>
  [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, body]) =>
      `'sha256-${createHash('sha256')
        .update(body ?? '')
        .digest('base64')}'`,
  )

/** Pages to which consent of third parties comes back. */
const returnPaths: ReadonlySet<string> = new Set(['/destination-oauth-callback', '/app-oauth-callback'])

/** Whether the application has a page at a path, by the patterns that its build wrote down; without them, always. */
const pageTest = (folder: string): ((path: string) => boolean) => {
  const list = join(folder, '.pages.json')
  if (!existsSync(list)) return () => true
  const patterns = (JSON.parse(readFileSync(list, 'utf8')) as string[]).map((pattern) => {
    const inner = pattern.replace(/\/\*$/, '').replace(/:\w+/g, '[^/]+')
    return new RegExp(`^/${inner}${pattern.endsWith('/*') ? '(/.*)?' : ''}/?$`, 'i')
  })
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/**
 * Serves the built web application: files below `folder`, and its index.html for every other path: with 200 for its pages,
 * with 404 for others, where it shows that there is no such page. Hashed assets are cached for a year, the page never. Everything goes out under a strict content policy
 * that lets nothing in but `sources`.
 */
export const createWebFiles = (
  folder: string,
  sources: PolicySources = {},
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  const index = existsSync(join(folder, 'index.html')) ? readFileSync(join(folder, 'index.html'), 'utf8') : undefined
  const isPage = pageTest(folder)
  const policy = contentPolicy(inlineHashes(index ?? ''), sources)
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    // Consent of third parties is asked for in a popup.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  const fileOf = (path: string): string | undefined => {
    const file = normalize(join(folder, path))
    if (!file.startsWith(folder + sep) || !existsSync(file) || !statSync(file).isFile()) return undefined
    return file.slice(folder.length).includes(`${sep}.`) ? undefined : file
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
    const file = path === '/' ? undefined : fileOf(path)
    if (file !== undefined && !file.endsWith('index.html')) {
      const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      response.writeHead(200, {
        ...headers,
        'content-type': types[extname(file)] ?? 'application/octet-stream',
        'content-length': statSync(file).size,
        'cache-control': cache,
      })
      if (request.method === 'HEAD') response.end()
      else
        createReadStream(file)
          .on('error', () => response.destroy())
          .pipe(response)
      return
    }
    if (path.startsWith('/assets/') || index === undefined) {
      response
        .writeHead(404, { ...headers, 'content-type': 'text/plain' })
        .end(index === undefined ? 'The web application is not built: run npm start.' : 'Not found')
      return
    }
    // A popup that comes back from there keeps its opener, and may close itself, only if it gives up this protection.
    const returning = returnPaths.has(path) ? { 'cross-origin-opener-policy': 'unsafe-none' } : {}
    const own = { ...headers, ...returning, 'content-type': types['.html'], 'cache-control': 'no-cache' }
    response.writeHead(isPage(path) ? 200 : 404, own)
    response.end(request.method === 'HEAD' ? undefined : index)
  }
}
