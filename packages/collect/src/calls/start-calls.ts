import { sendJson, sendRefusal, sendScript } from '../answer.ts'
import { outerKey, requestOrigin } from '../caller.ts'
import type { CollectRequest, IngestionContext, StartRoute } from '../ingestion-context.ts'
import type { WriteKeyCache } from '../ports.ts'
import * as refusals from '../refusal.ts'
import type { BrowserSdk } from './browser-sdk.ts'
import { rudderSourceConfig, segmentSettings } from './start-documents.ts'

const settingsSeconds = 60
const scriptCache = 'public, max-age=300'
const bundleCache = 'public, max-age=31536000, immutable'

/**
 * Creates handlers for the calls that SDKs make at their start, for settings and, in the browser, for code. `updatedAt`
 * is RFC 3339.
 */
export const createStartCalls = (options: {
  context: IngestionContext
  keys: WriteKeyCache
  sdk: () => BrowserSdk | undefined
  publicUrl: string | undefined
  updatedAt: string
}): ((request: CollectRequest, route: StartRoute) => void) => {
  const { context, keys, sdk } = options

  const sourceConfig = (request: CollectRequest): void => {
    const key = outerKey(request.req.headers, request.query)
    if (key === undefined) return context.refuse(request, 'start', refusals.missingKey)
    const entry = keys.find(key)
    if (entry === undefined) {
      const former = keys.findRevoked(key)
      return context.refuse(
        request,
        'start',
        former === undefined ? refusals.unknownKey : refusals.revokedKey,
        former,
        key,
      )
    }
    sendJson(request.req, request.res, rudderSourceConfig(entry, key, options.updatedAt), 0)
  }

  return (request, route) => {
    const { req, res } = request
    if (route.kind === 'bundle') {
      const bundle = sdk()?.bundle(route.file)
      if (bundle === undefined) return sendRefusal(req, res, refusals.notHosted)
      return sendScript(req, res, bundle, bundleCache)
    }
    if (!keys.ready()) return context.refuse(request, 'start', context.retryLater.starting)
    if (route.kind === 'source-config') return sourceConfig(request)
    const entry = keys.find(route.key)
    if (entry === undefined)
      return context.refuse(request, 'start', refusals.unknownPathKey, keys.findRevoked(route.key), route.key)
    if (!entry.sourceEnabled) return context.refuse(request, 'start', refusals.sourceDisabled, entry, route.key)
    const foreign = context.foreignTo(req, entry)
    if (foreign !== undefined) return context.refuse(request, 'start', foreign, entry, route.key)
    const origin = context.customOrigin(req) ?? requestOrigin(req, options.publicUrl, context.proxies)
    if (route.kind === 'settings') return sendJson(req, res, segmentSettings(origin, route.key), settingsSeconds)
    const loaded = sdk()
    if (loaded === undefined) return context.refuse(request, 'start', context.retryLater.starting)
    sendScript(req, res, loaded.script(origin, route.key), scriptCache)
  }
}
