import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { withoutEnd } from '@tributary/kernel'
import { LRUCache } from 'lru-cache'

/** A script in both encodings (plain and gzip), ready to be sent. */
export type Script = { plain: Buffer; gzip: Buffer }

export type BrowserSdk = {
  /** Returns the official analytics-next build for one write key, configured to send to `origin`. */
  script(origin: string, writeKey: string): Script
  /** Returns a chunk that the script loads on demand; undefined if there is none of this name. */
  bundle(file: string): Script | undefined
}

const keyMark = '"__WRITE_KEY__"'
const cachedScripts = 100

const folder = (): string => {
  const entry = fileURLToPath(import.meta.resolve('@segment/analytics-next'))
  return join(dirname(entry), '..', 'umd')
}

/** Returns a JavaScript literal of a value that is safe inside an HTML script element. */
export const literal = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

const stubs = [
  'track',
  'identify',
  'page',
  'screen',
  'group',
  'alias',
  'ready',
  'reset',
  'user',
  'on',
  'once',
  'off',
  'setAnonymousId',
  'debug',
  'trackLink',
  'trackForm',
  'trackClick',
  'trackSubmit',
  'addSourceMiddleware',
  'addDestinationMiddleware',
  'addIntegrationMiddleware',
  'register',
]

/**
 * Code that adds a method to `queue` for each call of the SDK. Calls are kept in the list until the SDK replaces the
 * queue.
 */
const stubCode = `queue.methods = ${literal(stubs.join(' '))}.split(' ')
  queue.methods.forEach(function (name) {
    queue[name] = function () {
      if (window.analytics !== queue) return window.analytics[name].apply(window.analytics, arguments)
      queue.push([name].concat([].slice.call(arguments)))
      return queue
    }
  })`

/**
 * Returns code that sets the base URL of the script, because the script detects the URL only in https script tags. The
 * page's own `_cdn` comes first, then the origin of the script, then the origin of the request. On a page with only the
 * script tag, without the snippet, the code also creates the list for early calls.
 */
const prologue = (origin: string): string =>
  `!function () {
  var queue = window.analytics = window.analytics || []
  if (!queue._cdn) {
    var script = document.currentScript
    var home = script && /^https?:\\/\\/[^/]+/.exec(script.src)
    queue._cdn = home ? home[0] : ${literal(origin)}
  }
  if (queue.track) return
  ${stubCode}
}();
`

/** Removes the source map comment at the end of a script. */
const withoutSourceMap = (script: string): string => {
  const start = script.lastIndexOf('//# sourceMappingURL=')
  return start < 0 || script.slice(start).trimEnd().includes('\n') ? script : script.slice(0, start).replace(/\n$/, '')
}

/**
 * Reads the UMD build of @segment/analytics-next once. Replaces its two URLs of Segment's servers (fallbacks and error
 * reports) by URLs of this server, so that a page with this product sends only to this product.
 */
export const loadBrowserSdk = (): BrowserSdk => {
  const home = folder()
  const standalone = withoutSourceMap(readFileSync(join(home, 'standalone.js'), 'utf8'))
  if (!standalone.includes(keyMark)) throw new Error('The browser SDK has no place for the write key')
  const bundles = new Map<string, Script>()
  for (const file of readdirSync(home)) {
    if (!/\.bundle\.[0-9a-f]+\.js$/.test(file)) continue
    const plain = Buffer.from(withoutSourceMap(readFileSync(join(home, file), 'utf8')))
    bundles.set(file, { plain, gzip: gzipSync(plain) })
  }
  const scripts = new LRUCache<string, Script>({ max: cachedScripts })
  const build = (origin: string, writeKey: string): Script => {
    const text = standalone
      .replace(keyMark, () => literal(writeKey))
      .replaceAll('https://cdn.segment.com', origin)
      .replaceAll('api.segment.io/v1', `${new URL(origin).host}/v1`)
    const plain = Buffer.from(prologue(origin) + text)
    return { plain, gzip: gzipSync(plain) }
  }
  return {
    script(origin, writeKey) {
      const id = `${origin} ${writeKey}`
      const known = scripts.get(id)
      if (known !== undefined) return known
      const made = build(origin, writeKey)
      scripts.set(id, made)
      return made
    },
    bundle: (file) => bundles.get(file),
  }
}

/**
 * Returns the script element for a page's head. Calls before the SDK has loaded wait in a list that the SDK processes
 * later. `origin` is the URL of this server, http or https.
 */
export const snippet = ({ origin, writeKey }: { origin: string; writeKey: string }): string => {
  const base = withoutEnd(origin, '/')
  return `<script>
!function () {
  var queue = window.analytics = window.analytics || []
  if (queue.initialize || queue.invoked) return
  queue.invoked = true
  ${stubCode}
  queue.load = function (key, options) {
    queue._writeKey = key
    queue._loadOptions = options
    var script = document.createElement('script')
    script.async = true
    script.src = queue._cdn + '/analytics.js/v1/' + encodeURIComponent(key) + '/analytics.min.js'
    document.head.appendChild(script)
  }
  queue._cdn = ${literal(base)}
  queue.load(${literal(writeKey)})
  queue.page()
}()
</script>`
}
