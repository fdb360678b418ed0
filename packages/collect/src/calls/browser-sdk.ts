import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { withoutEnd } from '@tributary/kernel'
import { LRUCache } from 'lru-cache'

/** A script ready to be sent. */
export type Script = { plain: Buffer; gzip: Buffer }

export type BrowserSdk = {
  /** The official analytics-next build for one write key, configured to send to `origin`. */
  script(origin: string, writeKey: string): Script
  /** A chunk that the build loads when it needs it. */
  bundle(file: string): Script | undefined
}

const keyMark = '"__WRITE_KEY__"'
const cachedScripts = 100

const folder = (): string => {
  const entry = fileURLToPath(import.meta.resolve('@segment/analytics-next'))
  return join(dirname(entry), '..', 'umd')
}

/** A value as a JavaScript literal that may stand inside of an HTML script element. */
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

/** Gives `queue` a method for each call: the call is kept in the list until the SDK has replaced the queue. */
const stubCode = `queue.methods = ${literal(stubs.join(' '))}.split(' ')
  queue.methods.forEach(function (name) {
    queue[name] = function () {
      if (window.analytics !== queue) return window.analytics[name].apply(window.analytics, arguments)
      queue.push([name].concat([].slice.call(arguments)))
      return queue
    }
  })`

/**
 * Sets the home of the build, which finds it only in https script tags. It takes the page's own `_cdn` first, else the
 * origin of this script, else the one of the request. A page that has only the script's tag, without a snippet, gets
 * the list for early calls from here.
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

/** Removes the line at the end of a script that names its source map. */
const withoutSourceMap = (script: string): string => {
  const start = script.lastIndexOf('//# sourceMappingURL=')
  return start < 0 || script.slice(start).trimEnd().includes('\n') ? script : script.slice(0, start).replace(/\n$/, '')
}

/**
 * Reads the UMD build of @segment/analytics-next once. Replaces its two addresses of Segment's own servers (fallbacks
 * and error reports) by ours: a page that uses this product sends to this product only.
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
 * The script element for a page's head. Calls made before the SDK has arrived wait in a list that the SDK processes.
 * The `origin` is the address of this server, http or https.
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
