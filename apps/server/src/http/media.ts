import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Control } from '@tributary/control'
import type { Logger } from '@tributary/kernel'
import type { Logo } from './connector-logos.ts'

const prefix = '/media/'

/** Headers of every picture. With them, browsers run no scripts and do not guess the content type. */
const headers = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
}

/** Cached for a year: a URL always shows the same picture, because its key contains the hash of the picture. */
const forEver = 'public, max-age=31536000, immutable'

const sideOf = (text: string | null): number | undefined =>
  text !== null && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined

/** The key and the size of a URL; undefined if it is invalid. */
const parse = (url: string) => {
  if (!URL.canParse(url, 'http://local')) return undefined
  const { pathname, searchParams } = new URL(url, 'http://local')
  const [maxWidth, maxHeight] = [sideOf(searchParams.get('max-w')), sideOf(searchParams.get('max-h'))]
  return {
    key: pathname.slice(prefix.length),
    box: { ...(maxWidth === undefined ? {} : { maxWidth }), ...(maxHeight === undefined ? {} : { maxHeight }) },
  }
}

/**
 * Serves stored pictures at `/media/{key}` and logos of connectors at `/media/connectors/{key}`. Any client with the
 * key gets them, cached for a year. For `max-w` and `max-h` a stored picture is sent in the smallest of a few sizes
 * that is not smaller. All other paths get 404.
 */
export const createMedia = ({
  readImage,
  readLogo,
  logger,
}: {
  readImage: Control['readImage']
  readLogo: (key: string) => Promise<Logo | undefined>
  logger: Logger
}) => {
  const fail = (response: ServerResponse, code: number, text: string): void => {
    response.writeHead(code, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    response.end(text)
  }
  const read = ({ key, box }: NonNullable<ReturnType<typeof parse>>) =>
    key.startsWith('connectors/') ? readLogo(key) : readImage(key, box)
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return fail(response, 405, 'Only GET and HEAD')
    }
    const asked = parse(request.url ?? '')
    const found = asked === undefined ? undefined : await read(asked)
    if (found === undefined) return fail(response, 404, 'Not found')
    response.writeHead(200, {
      ...headers,
      'content-type': found.contentType,
      'content-length': found.body.byteLength,
      'cache-control': forEver,
    })
    response.end(request.method === 'HEAD' ? undefined : found.body)
  }
  return {
    handles: (url: string): boolean => url.startsWith(prefix),
    handle(request: IncomingMessage, response: ServerResponse): void {
      answer(request, response).catch((error) => {
        logger.error({ err: error }, 'a picture could not be served')
        if (response.headersSent) response.destroy()
        else fail(response, 503, 'The picture cannot be read now; try again in a moment')
      })
    },
  }
}
