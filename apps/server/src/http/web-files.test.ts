import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebFiles } from './web-files.ts'

const big = 'let big = 1\n'.repeat(1000)

let folder: string
let url: string
let close: () => Promise<void>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'web-'))
  mkdirSync(join(folder, '.hidden/dist/assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(folder, '.hidden/dist/index.html'), '<title>x</title><script>let a = 1</script>')
  writeFileSync(join(folder, '.hidden/dist/.sources'), 'hash')
  const pages = ['', 'auth/login', 'workspaces/:workspaceId/*', 'invitations/:invitationId', 'app-oauth-callback']
  writeFileSync(join(folder, '.hidden/dist/.pages.json'), JSON.stringify(pages))
  writeFileSync(join(folder, '.hidden/dist/.preload.json'), '["/assets/frame.js","/assets/shared.js"]')
  writeFileSync(join(folder, '.hidden/dist/assets/a.js'), 'a')
  writeFileSync(join(folder, '.hidden/dist/assets/big.js'), big)
  writeFileSync(join(folder, '.hidden/dist/assets/big.js.br'), brotliCompressSync(big))
  writeFileSync(join(folder, '.hidden/dist/assets/big.js.gz'), gzipSync(big))
  writeFileSync(join(folder, '.hidden/dist/icon.svg'), '<svg/>')
  const server = createServer(createWebFiles(join(folder, '.hidden/dist')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => new Promise((resolve) => server.close(() => resolve()))
})
afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true })
})

test.each([
  ['/', 200, '<title>'],
  ['/workspaces/1/sources', 200, '<title>'],
  ['/assets/a.js', 200, 'a'],
  ['/assets/missing.js', 404, 'Not found'],
  ['/assets/big.js.br', 404, 'Not found'],
  ['/assets/../.sources', 404, '<title>'],
  ['/auth/login', 200, '<title>'],
  ['/AUTH/login/?x=1', 200, '<title>'],
  ['/invitations/1', 200, '<title>'],
  ['/auth/nonsense', 404, '<title>'],
  ['/invitations/1/more', 404, '<title>'],
  ['/nonsense', 404, '<title>'],
  ['/workspacesx', 404, '<title>'],
  ['/.sources', 404, '<title>'],
  ['/.pages.json', 404, '<title>'],
  ['/..%2fsecret.txt', 404, '<title>'],
  ['/%E0%A4%A', 400, ''],
])('the web path %s gets status %i', async (path, status, beginning) => {
  const answer = await fetch(`${url}${path}`)
  expect(answer.status).toBe(status)
  expect((await answer.text()).startsWith(beginning)).toBe(true)
})

test("the page's policy allows its inline script only by its hash", async () => {
  const policy = (await fetch(url)).headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/script-src 'self' 'sha256-[^']+'/)
  expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/)
  expect((await fetch(url)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('pages may open popups but are isolated from their opener, except pages to which a popup returns', async () => {
  const policyOf = async (path: string) => (await fetch(`${url}${path}`)).headers.get('cross-origin-opener-policy')
  expect(await policyOf('/')).toBe('same-origin-allow-popups')
  expect(await policyOf('/workspaces/1/destinations/2')).toBe('same-origin-allow-popups')
  expect(await policyOf('/destination-oauth-callback?code=c&state=s')).toBe('unsafe-none')
  expect(await policyOf('/app-oauth-callback')).toBe('unsafe-none')
})

/** Requests a path with these headers. Returns the bytes as transferred, because `fetch` would decompress them. */
const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}${path}`, { headers, method }, resolve).once('error', reject).end()
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }
}

test('a file is sent as compressed by the build, in the requested encoding, with a Vary header', async () => {
  const plain = await ask('/assets/big.js')
  expect(plain.body.toString()).toBe(big)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const brotli = await ask('/assets/big.js', { 'accept-encoding': 'gzip, deflate, br' })
  expect(brotli.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(brotli.body).toString()).toBe(big)
  const gzip = await ask('/assets/big.js', { 'accept-encoding': 'br;q=0.1, gzip' })
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gzip.body).toString()).toBe(big)
  for (const { headers, body } of [plain, brotli, gzip]) {
    expect(headers.vary).toBe('Accept-Encoding')
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(Number(headers['content-length'])).toBe(body.length)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  }
  expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3)
})

test('a file without a compressed copy is sent unchanged, whatever encoding is requested', async () => {
  const { headers, body } = await ask('/assets/a.js', { 'accept-encoding': 'br' })
  expect(body.toString()).toBe('a')
  expect(headers['content-encoding']).toBeUndefined()
  expect(headers.vary).toBeUndefined()
})

test('the page and files without a hash are revalidated, and not sent again to a client that has them', async () => {
  for (const path of ['/', '/workspaces/1/sources', '/icon.svg']) {
    const { headers } = await ask(path)
    expect(headers['cache-control']).toBe('no-cache')
    const again = await ask(path, { 'if-none-match': `"other", W/${headers.etag}` })
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
  }
  const tag = (await ask('/assets/big.js', { 'accept-encoding': 'br' })).headers.etag ?? ''
  expect((await ask('/assets/big.js', { 'if-none-match': tag })).status).toBe(200)
  expect((await ask('/assets/big.js', { 'if-none-match': tag, 'accept-encoding': 'br' })).status).toBe(304)
})

test('a missing page still gets 404 from a client that has the application in its cache', async () => {
  const { headers } = await ask('/')
  expect((await ask('/nonsense', { 'if-none-match': headers.etag ?? '' })).status).toBe(404)
})

test('workspace pages have preload links for the files of their frame', async () => {
  expect((await ask('/workspaces/1/sources')).headers.link).toBe(
    '</assets/frame.js>; rel=modulepreload, </assets/shared.js>; rel=modulepreload',
  )
  expect((await ask('/auth/login')).headers.link).toBeUndefined()
  expect((await ask('/assets/a.js')).headers.link).toBeUndefined()
})

test('HEAD reports the size of the body of GET, and sends no body', async () => {
  const get = await ask('/assets/big.js', { 'accept-encoding': 'br' })
  const head = await ask('/assets/big.js', { 'accept-encoding': 'br' }, 'HEAD')
  expect(head.body.length).toBe(0)
  expect(head.headers['content-length']).toBe(String(get.body.length))
})

test('an open page finds all of its files after the folder was rebuilt', async () => {
  rmSync(join(folder, '.hidden/dist/assets/a.js'))
  expect((await ask('/assets/a.js')).body.toString()).toBe('a')
})
