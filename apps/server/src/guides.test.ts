import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGuides } from './guides.ts'

const folder = fileURLToPath(new URL('../../../docs', import.meta.url))
const guides = createGuides(folder)
const server = createServer((request, response) => guides.handle(request, response))
let base: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const linksOf = (html: string): string[] => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href)

test('the documentation lists its guides and the API, and each of its own links leads to a page', async () => {
  const answer = await fetch(`${base}/docs`)
  expect(answer.status).toBe(200)
  const links = linksOf(await answer.text())
  expect(links).toEqual(['/docs/collection', '/docs/configuration', '/docs/webhook', '/docs/operations', '/api/docs'])
  for (const link of links.filter((path) => path.startsWith('/docs/'))) {
    const guide = await fetch(`${base}${link}`)
    expect([link, guide.status]).toEqual([link, 200])
    const html = await guide.text()
    expect(html).toMatch(/<main><h1 id="[a-z-]+">/)
    // Within the guides, to the web, or no link at all: never to a file that nobody serves.
    for (const inner of linksOf(html)) {
      expect(inner).toMatch(/^(\/docs(\/[a-z]+)?(#.+)?|#.+|https?:\/\/.+)$/)
      if (!inner.startsWith('/docs/')) continue
      expect((await fetch(`${base}${inner}`)).status).toBe(200)
    }
  }
})

test('a guide is shown with its tables and code, and nothing in it can run', async () => {
  const answer = await fetch(`${base}/docs/collection`)
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/)
  const html = await answer.text()
  expect(html).toContain('<td><code>POST /v1/batch</code>, <code>/v1/import</code></td>')
  expect(html).not.toMatch(/<script|javascript:/)
})

test.each(['/docs/nothing', '/docs/..%2Fpackage', '/docs/../package', '/docs/adr/0001', '/docs/constructor'])(
  '%s is no guide',
  async (path) => {
    expect((await fetch(`${base}${path}`)).status).toBe(404)
  },
)

test('only what is below /docs is asked of the guides', () => {
  expect(['/docs', '/docs/collection', '/documents', '/', '/api/docs'].map((path) => guides.handles(path))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('the folder has the guides', async () => {
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['collection.md', 'configuration.md', 'operations.md']))
})
