import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { tagBuild } from './tag-build.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

let code = ''
beforeAll(async () => {
  const vite = pathToFileURL(`${root}/node_modules/vite/dist/node/index.js`).href
  const { build }: typeof import('vite') = await import(vite)
  const config = tagBuild(root)
  const output = await build({ ...config, build: { ...config.build, write: false } })
  const [bundle] = Array.isArray(output) ? output : [output]
  if (bundle === undefined || !('output' in bundle)) throw new Error('nothing was built')
  expect(bundle.output).toHaveLength(1)
  code = bundle.output[0].code
})

test('AMB-72: the tag is one script under 5 kB compressed, with one place for its source, and names no other server', () => {
  expect(gzipSync(code).length).toBeLessThan(5000)
  expect(code.split('__TRIBUTARY_TAG__')).toHaveLength(2)
  expect(code).not.toMatch(/https?:\/\/[a-z]|\beval\b|new Function|localStorage|sessionStorage/)
})

test('the built tag runs as a script: it processes the early calls of a page and leaves no other global name', () => {
  const calls: unknown[] = []
  const listeners: string[] = []
  const window = {
    tributary: [['track', 'id-1', ['Lead Created']]] as unknown[] & { track?: (name: string) => string },
  }
  const scope = {
    window,
    document: { cookie: '', title: 'Shop', referrer: '', currentScript: null, addEventListener: () => {} },
    location: new URL('https://www.shop.example/'),
    navigator: { userAgent: 'Test', language: 'en', sendBeacon: () => true },
    fetch: async (url: string) => calls.push(url),
    addEventListener: (name: string) => listeners.push(name),
    HTMLScriptElement: class {},
    setTimeout: () => 0,
    clearTimeout: () => {},
  }
  const filled = code.replace(
    '__TRIBUTARY_TAG__',
    '{"key":"k","origin":"https://events.shop.example","consent":"denied"}',
  )
  // oxlint-disable-next-line typescript/no-implied-eval -- the script is run as a browser runs it
  const left = new Function(...Object.keys(scope), `${filled}; return typeof tributaryTag`)(...Object.values(scope))
  expect(left).toBe('undefined')
  expect(window.tributary.track?.('A')).toMatch(/^[0-9a-f-]{36}$/)
  expect(listeners).toEqual(['pagehide', 'pageshow'])
  expect(calls).toEqual([])
})
