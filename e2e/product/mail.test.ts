import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminCredentials, eventually, type Product, startMailReceiver, startProduct } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../browser/people.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-mail-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const askToSignUp = (product: Product, email: string) =>
  product.api.ok('POST', '/users:sendOtp', { email, action: 'sign up' })

/** Returns a port without a listener. */
const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('while the mail server is unavailable, mail waits, and it arrives later, even if the product was killed meanwhile', async () => {
  const port = await freePort()
  const options = { dataDir: join(folder, 'data'), env: { SMTP_URL: `smtp://127.0.0.1:${port}` } }
  const email = 'waits@example.com'
  const killed = await startProduct(options)
  await askToSignUp(killed, email)
  {
    // If the process is killed during an attempt, the lease decides about it; the tests of jobs cover that.
    await using database = await openDatabase(killed)
    await eventually('it was tried and waits', async () => {
      const { rows } = await database.pool.query("select 1 from jobs.job where name = 'mail' and state = 'retry'")
      return rows.length > 0
    })
    await killed.kill()
  }
  await using mail = await startMailReceiver({ port })
  await using product = await startProduct(options)
  const { code } = await mail.waitFor(email)
  expect(await product.api.ok('POST', '/users:signup', { email, otp_token: code })).toMatchObject({ user: { email } })
})

test('without SMTP_URL, each mail is a file that only the owner reads; a development server also shows it at a printed address', async () => {
  const dataDir = join(folder, 'data')
  const outbox = join(dataDir, 'outbox')
  await using product = await startProduct({ dataDir, env: { TRIBUTARY_ENVIRONMENT: 'development' } })
  await product.api.ok('POST', '/users:sendOtp', { email: adminCredentials.email, action: 'login' })
  expect(await product.api.ok('GET', '/config')).toMatchObject({ mail_enabled: false })
  const file = await eventually('it is written', async () =>
    (await readdir(outbox).catch(() => [])).find((name) => name.endsWith('.eml')),
  )
  const path = join(outbox, file)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const otp_token = /\b\w{3}(?:-\w{3}){3}\b/.exec(await readFile(path, 'utf8'))?.[0]
  const body = { email: adminCredentials.email, otp_token }
  expect(await product.api.ok('POST', '/users:loginOtp', body)).toMatchObject({ user: { is_admin: true } })
  const printed = /Mail that is not sent is shown at (\S+)/.exec(product.output())?.[1] ?? ''
  const page = await (await fetch(printed)).text()
  expect(page).toMatch(/<h1>Outbox<\/h1>[\s\S]*Your one-time passcode[\s\S]*<iframe[^>]* sandbox="allow-popups /)
  expect((await fetch(`${product.url}/dev/outbox`)).status).toBe(401)
})
