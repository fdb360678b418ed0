import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { listedDestinations, listedSources } from '@tributary/connectors'
import { methodList } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDocs } from './docs.ts'

const folder = fileURLToPath(new URL('../../../../docs', import.meta.url))
const docs = createDocs({
  folder,
  sources: listedSources,
  destinations: listedDestinations,
  publicUrl: () => 'https://in.example',
})
const server = createServer((request, response) => docs.handle(request, response))
let base: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const read = async (path: string): Promise<string> => {
  const answer = await fetch(`${base}${path}`)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}
const search = async (query: string): Promise<{ path: string; heading: string; passage: { text: string }[] }[]> =>
  (JSON.parse(await read(`/docs/search.json?q=${encodeURIComponent(query)}`)) as { results: never[] }).results
const linksOf = (html: string): string[] => [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = '']) => href)
const wordsOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('every page and heading is reachable from the first page, and all links work', async () => {
  const seen = new Map<string, string>()
  const next = ['/docs']
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (seen.has(path)) continue
    const html = await read(path)
    seen.set(path, html)
    for (const link of linksOf(html)) if (/^\/docs(\/|$|#)/.test(link)) next.push(link.split('#')[0] ?? '')
  }
  for (const [path, html] of seen)
    for (const link of linksOf(html)) {
      // Links must lead to the documentation, the product, or another site, but never to a file that is not served.
      expect(link).toMatch(/^(\/|\/docs(\/[a-z0-9-]+){0,2}(#.+)?|#.+|\/api\/(docs(#.+)?|openapi\.json)|https?:\/\/.+)$/)
      const [file = '', anchor] = link.split('#')
      if (anchor === undefined || (file !== '' && !file.startsWith('/docs'))) continue
      expect([path, link, (file === '' ? html : seen.get(file))?.includes(`id="${anchor}"`)]).toEqual([
        path,
        link,
        true,
      ])
    }
  const connectors = [
    ...listedSources.map(({ slug }) => `/docs/sources/${slug}`),
    ...listedDestinations.map(({ slug }) => `/docs/destinations/${slug}`),
  ]
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['/docs/getting-started', '/docs/operations', ...connectors]))
})

test('the documentation page of each source and destination has its whole guide and all settings', async () => {
  for (const entry of listedSources) {
    const { slug, guide, settings } = await entry.load()
    const fields = settings?.fields ?? []
    const words = wordsOf(await read(`/docs/sources/${slug}`))
    for (const { title, code = '' } of guide) {
      expect(words).toContain(title)
      const filled = code.replaceAll('{{origin}}', 'https://in.example').replaceAll('{{host}}', 'in.example')
      const own = filled.replaceAll('{{writeKey}}', 'YOUR_WRITE_KEY').replaceAll('{{insecure}}', 'false')
      expect(words).toContain(own)
    }
    for (const { label } of fields) expect(words).toContain(label)
  }
  for (const entry of listedDestinations) {
    const { slug, docs: guide, settings, actions } = await entry.load()
    const { fields } = settings
    const words = wordsOf(await read(`/docs/destinations/${slug}`))
    for (const { title, code = '' } of guide.steps)
      expect([words.includes(title), words.includes(code)]).toEqual([true, true])
    for (const name of [...fields.map(({ label }) => label), ...actions.map(({ title }) => title)])
      expect(words).toContain(name)
  }
})

test('the API page of the documentation lists every method', async () => {
  const words = wordsOf(await read('/docs/api'))
  expect(methodList.filter(({ verb, path }) => !words.includes(`${verb} /api${path}`))).toEqual([])
})

test.each([
  ['send an event with curl', '/docs/sources/http'],
  ['signature webhook hmac', '/docs/webhook#the-signature'],
  ['SMTP_URL', '/docs/configuration'],
  ['dead letter', '/docs/deliveries'],
  ['blocked events', '/docs/schemas#blocked-events'],
  ['bakcup restore', '/docs/operations#backup-and-restore'],
  ['ruby', '/docs/sources/ruby'],
  ['invitat', '/docs/members#invitations'],
])('the search for "%s" has %s among its first three results, with the words around it', async (query, path) => {
  const results = (await search(query)).slice(0, 3)
  expect(
    results.map((result) => result.path.replace(/(\/docs\/(sources|deliveries|configuration)[^#]*)#.*/, '$1')),
  ).toContain(path)
  for (const { passage } of results) expect(passage.map(({ text }) => text).join('').length).toBeGreaterThan(20)
})

test('the search page shows the same results, escapes the search text, and reports an empty result', async () => {
  const page = await read('/docs/search?q=dead%20letter')
  expect(page).toContain('<mark>dead</mark> <mark>letter</mark>')
  for (const { path } of await search('dead letter')) expect(page).toContain(`href="${path}"`)
  const hostile = await read(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(hostile).not.toContain('<script>alert')
  expect(await read('/docs/search?q=xyzzyqwv')).toContain('No results for “xyzzyqwv”')
  expect(await search('')).toEqual([])
  expect(await search('"(*['.repeat(500))).toEqual([])
})

test('documentation pages load nothing from other origins and run only their own script, and code is text', async () => {
  const answer = await fetch(`${base}/docs/collection`)
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  const html = await answer.text()
  expect(html).toContain('<code>POST /v1/batch</code>, <code>/v1/import</code>')
  expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    expect.stringMatching(/^<script src="\/docs\/assets\/docs\.js\?v=[\w-]+">$/),
  ])
  expect(html).not.toMatch(/javascript:| on\w+="| style="/)
})

test('a long name in the first table column breaks after underscores, but nowhere else', async () => {
  const html = await read('/docs/configuration')
  expect(html).toContain('<td role="cell"><code>TRIBUTARY_<wbr>TRUSTED_<wbr>PROXIES</code></td>')
  expect(html).toContain('<code>max_execution_time</code>')
})

test('pages are sent compressed and revalidated; their assets are cached', async () => {
  const page = await fetch(`${base}/docs/configuration`, { headers: { 'accept-encoding': 'br' } })
  expect([page.headers.get('content-encoding'), page.headers.get('cache-control')]).toEqual(['br', 'no-cache'])
  expect(Number(page.headers.get('content-length'))).toBeLessThan(10_000)
  const again = await fetch(`${base}/docs/configuration`, {
    headers: { 'if-none-match': page.headers.get('etag') ?? '' },
  })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  expect((await fetch(`${base}${script}`)).headers.get('cache-control')).toContain('immutable')
  expect((await fetch(`${base}/docs/configuration`, { method: 'POST' })).status).toBe(405)
})

test('each table cell names its column, because narrow screens show a row as a block', async () => {
  // Selects only rows of settings, since the page also has a table with two columns.
  const rows = (await read('/docs/configuration')).match(/<tr role="row"><td role="cell"[^>]*><code>.*?<\/tr>/g) ?? []
  expect(rows.length).toBeGreaterThan(30)
  for (const row of rows)
    expect(row).toMatch(/<td role="cell" data-label="default">.*<td role="cell" data-label="what">/)
})

test.each([
  '/docs/nothing',
  '/docs/..%2Fpackage',
  '/docs/../package',
  '/docs/adr/0001',
  '/docs/constructor',
  '/docs/assets/',
])('the address %s is not a documentation page', async (path) => {
  expect((await fetch(`${base}${path}`)).status).toBe(404)
})

test('the documentation handles only paths below /docs', () => {
  expect(['/docs', '/docs/collection', '/documents', '/', '/api/docs'].map((path) => docs.handles(path))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('the documentation pages have the colors of the web application', async () => {
  const tokens = (css: string): Map<string, string> =>
    new Map(
      [...css.matchAll(/--([a-z0-9-]+):\s*(light-dark\([^;]+\));/g)].map(([, name = '', value = '']) => [name, value]),
    )
  const web = tokens(await readFile(new URL('../../../web/src/ui/theme.css', import.meta.url), 'utf8'))
  const own = tokens(await readFile(new URL('assets/docs-frame.css', import.meta.url), 'utf8'))
  expect(own.size).toBeGreaterThan(15)
  expect([...own].filter(([name, value]) => web.get(`color-${name}`) !== value)).toEqual([])
})
