import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ListedDestination, ListedSource } from '@tributary/connector-kit'
import { missingKey } from '@tributary/contract'
import { chooseEncoding } from '../http/content-encoding.ts'
import { type Assets, homeHtml, missingHtml, pageHtml, searchHtml } from './layout.ts'
import { type DocsPage, loadPages } from './pages.ts'
import { createDocsSearch } from './search.ts'

/** Content to serve, with the cache time of browsers. */
type Content = { body: Buffer; type: string; cache: string; etag: string; packed: Map<string, Promise<Buffer>> }

export type DocsDeps = {
  /** The folder of the Markdown files. */
  folder: string
  sources: readonly ListedSource[]
  destinations: readonly ListedDestination[]
  /** The product's URL that code shows until the page has the reader's own. Read when a page is first requested. */
  publicUrl: () => string
}

const html = 'text/html; charset=utf-8'
const revalidated = 'no-cache'

const contentOf = (text: string | Buffer, type: string, cache: string): Content => {
  const body = Buffer.from(text)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, type, cache, etag, packed: new Map() }
}

// Pages load nothing from other origins and run only one script file, because scripts could read the session.
const headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
} as const

const packers = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body),
}

const encodingOf = (request: IncomingMessage): keyof typeof packers | undefined => {
  const chosen = chooseEncoding(request.headers['accept-encoding']?.toString(), ['br', 'gzip'])
  return chosen === 'identity' ? undefined : chosen
}

/** Sends content with the best encoding that the client accepts. Each encoding is created once. */
const send = async (
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  content: Content,
): Promise<void> => {
  const { body, type, cache, etag, packed } = content
  const shared = { ...headers, 'content-type': type, 'cache-control': cache, vary: 'accept-encoding', etag }
  if (code === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304, shared).end()
    return
  }
  const encoding = encodingOf(request)
  let bytes: Buffer = body
  if (encoding !== undefined) {
    const making = packed.get(encoding) ?? packers[encoding](body)
    packed.set(encoding, making)
    bytes = await making
  }
  response
    .writeHead(code, {
      ...shared,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      'content-length': bytes.length,
    })
    .end(request.method === 'HEAD' ? undefined : bytes)
}

const asset = (names: readonly string[], type: string): Content =>
  contentOf(
    Buffer.concat(names.map((name) => readFileSync(new URL(`assets/${name}`, import.meta.url)))),
    type,
    'public, max-age=31536000, immutable',
  )

/** Builds everything that is served without a query: pages by path, and their assets. */
const build = async ({ folder, sources, destinations, publicUrl }: DocsDeps) => {
  const url = publicUrl()
  const pages: readonly DocsPage[] = await loadPages(
    folder,
    { sources, destinations },
    {
      origin: url,
      host: url.replace(/^https?:\/\//, ''),
      insecure: String(url.startsWith('http:')),
      writeKey: missingKey,
    },
  )
  const style = asset(['docs-frame.css', 'docs-text.css'], 'text/css; charset=utf-8')
  const script = asset(['docs.js'], 'text/javascript; charset=utf-8')
  const named = (name: string, { etag }: Content): string => `/docs/assets/${name}?v=${etag.replaceAll('"', '')}`
  const assets: Assets = { style: named('docs.css', style), script: named('docs.js', script) }
  const contents = new Map<string, Content>([
    ['/docs/assets/docs.css', style],
    ['/docs/assets/docs.js', script],
    ['/docs', contentOf(homeHtml(pages, assets), html, revalidated)],
    ...pages.map((page): [string, Content] => [page.path, contentOf(pageHtml(page, pages, assets), html, revalidated)]),
  ])
  const missing = contentOf(missingHtml(pages, assets), html, revalidated)
  const search = await createDocsSearch(pages)
  return { pages, assets, contents, missing, search }
}

/**
 * Serves the documentation at `/docs`: the guides of the folder and a page for each source and destination. It is
 * public, like the source code. `/docs/search?q=` is the search page, `/docs/search.json?q=` returns the results as
 * data; any other path below is a 404. Pages are built at the first request.
 */
export const createDocs = (deps: DocsDeps) => {
  let built: ReturnType<typeof build> | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    built ??= build(deps)
    const { pages, assets, contents, missing, search } = await built
    const { pathname, searchParams } = new URL(request.url ?? '/docs', 'http://local')
    const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
    const query = (searchParams.get('q') ?? '').slice(0, 100)
    if (path === '/docs/search.json')
      return send(
        request,
        response,
        200,
        contentOf(JSON.stringify({ results: search(query, 8) }), 'application/json', 'no-store'),
      )
    if (path === '/docs/search')
      return send(request, response, 200, contentOf(searchHtml(query, search(query), pages, assets), html, 'no-store'))
    const content = contents.get(path)
    return send(request, response, content === undefined ? 404 : 200, content ?? missing)
  }
  return {
    handles: (path: string): boolean => path === '/docs' || path.startsWith('/docs/'),
    handle(request: IncomingMessage, response: ServerResponse): void {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end()
        return
      }
      answer(request, response).catch(() => response.destroy())
    },
  }
}
