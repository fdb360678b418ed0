import { sendJson, sendRefusal, sendScript } from './answer.ts'
import type { BrowserSdk } from './browser-sdk.ts'
import { requestOrigin } from './client.ts'
import { outerKey } from './credentials.ts'
import type { Asked, Desk } from './desk.ts'
import type { WriteKeyDirectory } from './ports.ts'
import * as refusals from './refusal.ts'
import type { StartRoute } from './routes.ts'
import { rudderSourceConfig, segmentSettings } from './start-documents.ts'

const settingsSeconds = 60
const scriptCache = 'public, max-age=300'
const bundleCache = 'public, max-age=31536000, immutable'

/** What SDKs load when they start: their settings and, in the browser, their code. `updatedAt` is RFC 3339. */
export const createStartCalls = (options: {
  desk: Desk
  keys: WriteKeyDirectory
  sdk: () => BrowserSdk | undefined
  publicUrl: string | undefined
  updatedAt: string
}): ((asked: Asked, route: StartRoute) => void) => {
  const { desk, keys, sdk } = options

  const sourceConfig = (asked: Asked): void => {
    const key = outerKey(asked.req.headers, asked.query)
    if (key === undefined) return desk.refuse(asked, 'start', refusals.missingKey)
    const entry = keys.find(key)
    if (entry === undefined) {
      const former = keys.findRevoked(key)
      return desk.refuse(asked, 'start', former === undefined ? refusals.unknownKey : refusals.revokedKey, former, key)
    }
    sendJson(asked.req, asked.res, rudderSourceConfig(entry, key, options.updatedAt), 0)
  }

  return (asked, route) => {
    const { req, res } = asked
    if (route.kind === 'bundle') {
      const bundle = sdk()?.bundle(route.file)
      if (bundle === undefined) return sendRefusal(req, res, refusals.notHosted)
      return sendScript(req, res, bundle, bundleCache)
    }
    if (!keys.ready()) return desk.refuse(asked, 'start', desk.later.starting)
    if (route.kind === 'source-config') return sourceConfig(asked)
    const entry = keys.find(route.key)
    if (entry === undefined)
      return desk.refuse(asked, 'start', refusals.unknownPathKey, keys.findRevoked(route.key), route.key)
    if (!entry.sourceEnabled) return desk.refuse(asked, 'start', refusals.sourceDisabled, entry, route.key)
    const origin = requestOrigin(req, options.publicUrl, desk.proxies)
    if (route.kind === 'settings') return sendJson(req, res, segmentSettings(origin, route.key), settingsSeconds)
    const loaded = sdk()
    if (loaded === undefined) return desk.refuse(asked, 'start', desk.later.starting)
    sendScript(req, res, loaded.script(origin, route.key), scriptCache)
  }
}
