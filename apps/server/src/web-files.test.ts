import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebFiles } from './web-files.ts'

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
  writeFileSync(join(folder, '.hidden/dist/assets/a.js'), 'a')
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
])('%s answers %i', async (path, status, beginning) => {
  const answer = await fetch(`${url}${path}`)
  expect(answer.status).toBe(status)
  expect((await answer.text()).startsWith(beginning)).toBe(true)
})

test('the page goes out under a policy that allows its inline script by hash only', async () => {
  const policy = (await fetch(url)).headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/script-src 'self' 'sha256-[^']+'/)
  expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/)
  expect((await fetch(url)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('pages may open popups and are cut off from who opens them, but for those that a popup comes back to', async () => {
  const policyOf = async (path: string) => (await fetch(`${url}${path}`)).headers.get('cross-origin-opener-policy')
  expect(await policyOf('/')).toBe('same-origin-allow-popups')
  expect(await policyOf('/workspaces/1/destinations/2')).toBe('same-origin-allow-popups')
  expect(await policyOf('/destination-oauth-callback?code=c&state=s')).toBe('unsafe-none')
  expect(await policyOf('/app-oauth-callback')).toBe('unsafe-none')
})
