import { gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { sendCookies, sendRefusal, sendScript } from '../answer.ts'
import { type BodyFault, parseBody, readBody } from '../body/body.ts'
import { requestHost, requestOrigin } from '../caller.ts'
import { literal, type Script } from '../calls/browser-sdk.ts'
import type { CollectRequest, IngestionContext, TagRoute } from '../ingestion-context.ts'
import type { WriteKeyCache, WriteKeyEntry } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import { siteCookies } from './site-cookies.ts'

/** The placeholder in the code for the configuration of the source and this server. */
const configMark = '__TRIBUTARY_TAG__'
const cachedScripts = 100
const scriptCache = 'public, max-age=300'
/** Maximum bytes of all cookies together. */
const cookieBytes = 8192

const hostOf = (origin: string | undefined): string | undefined => {
  const url = origin === undefined ? null : URL.parse(origin)
  return url === null || !/^https?:$/.test(url.protocol) ? undefined : url.hostname.toLowerCase()
}

/**
 * Creates handlers that serve the product's own tag with the consent settings of its source, and set the first-party
 * cookies that the tag requests. A call without a valid key is rejected before its body is read. Cookies are set only
 * if the origin that the browser sends is a page of the same site.
 */
export const createTagCalls = (options: {
  context: IngestionContext
  keys: WriteKeyCache
  code: string | undefined
  publicUrl: string | undefined
}): ((request: CollectRequest, route: TagRoute) => void) => {
  const { context, keys, code } = options
  const scripts = new LRUCache<string, Script>({ max: cachedScripts })

  const scriptOf = (config: { key: string; origin: string; consent: string }): Script | undefined => {
    if (code === undefined) return undefined
    const text = literal(config)
    const made = scripts.get(text)
    if (made !== undefined) return made
    const plain = Buffer.from(code.replace(configMark, () => text))
    const script = { plain, gzip: gzipSync(plain) }
    scripts.set(text, script)
    return script
  }

  const sendCode = ({ req, res }: CollectRequest, entry: WriteKeyEntry, key: string): void => {
    const origin = context.customOrigin(req) ?? requestOrigin(req, options.publicUrl, context.proxies)
    const consent = entry.settings?.['consent'] === 'granted' ? 'granted' : 'denied'
    const script = scriptOf({ key, origin, consent })
    if (script === undefined) return sendRefusal(req, res, refusals.notHosted)
    sendScript(req, res, script, scriptCache)
  }

  const unread = (req: CollectRequest['req'], fault: Exclude<BodyFault, 'aborted'>): Refusal =>
    ({
      'too-large': refusals.bodyTooLarge(cookieBytes),
      overloaded: context.retryLater.overloaded,
      'too-slow': context.retryLater.tooSlow,
      'bad-compression': refusals.badCompression,
      'wrong-bytes': refusals.wrongBytes,
      'unknown-charset': refusals.unknownCharset(req.headers['content-type'] ?? ''),
      'unknown-encoding': refusals.badEncoding(req.headers['content-encoding'] ?? ''),
    })[fault]

  const keepCookies = (request: CollectRequest, entry: WriteKeyEntry, key: string): void => {
    const { req, res } = request
    const terms = { ...context.termsFor(entry), limit: cookieBytes }
    readBody(req, terms, context.senderOf(req, entry, 'tag'), (body, release) => {
      if (body === 'aborted') return
      const read = typeof body === 'string' ? { refusal: unread(req, body) } : parseBody(body)
      release()
      if ('refusal' in read) return context.refuse(request, 'tag', read.refusal, entry, key)
      const page = hostOf(req.headers.origin)
      const https = requestOrigin(req, undefined, context.proxies).startsWith('https:')
      const place = page === undefined || req.headers['sec-fetch-site'] === 'cross-site' ? undefined : page
      const server = requestHost(req, context.proxies)
      sendCookies(req, res, place === undefined ? [] : siteCookies(read.value, { page: place, server, https }))
    })
  }

  return (request, route) => {
    const { req } = request
    const { key } = route
    if (!keys.ready()) return context.refuse(request, 'tag', context.retryLater.starting)
    const entry = keys.find(key)
    if (entry === undefined) return context.refuse(request, 'tag', refusals.unknownPathKey, keys.findRevoked(key), key)
    const closed = context.closedTo(entry, false) ?? context.foreignTo(req, entry)
    if (closed !== undefined) return context.refuse(request, 'tag', closed, entry, key)
    if (route.kind === 'tag') return sendCode(request, entry, key)
    keepCookies(request, entry, key)
  }
}
