import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { newId, silentLogger } from '@tributary/kernel'
import { openRelational, type Relational, socketUrl } from '@tributary/storage'
import { adminCredentials, type Product } from '@tributary/test-kit'

/** A user who signs in. All users have the same password. */
export type Person = { userId: string; email: string; password: string }

/**
 * Opens the database of a running product with embedded engines. The fifth line of PostgreSQL's lock file is the folder
 * of its socket.
 */
export const openDatabase = async ({ dataDir }: Pick<Product, 'dataDir'>): Promise<Relational> => {
  const folder = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[4] ?? ''
  return openRelational({ url: socketUrl(folder, 'tributary'), logger: silentLogger, maxConnections: 1 })
}

/** Adds a user with the platform admin's password. If an organization is given, the user becomes a member. */
export const addPerson = async (
  { db }: Relational,
  name: string,
  member?: { organization: string; role: 'ORG_ADMIN' | 'ORG_COLLABORATOR' | 'ORG_GUEST' },
): Promise<Person> => {
  const userId = newId()
  const email = `${name.toLowerCase()}-${userId.slice(-6)}@example.com`
  const { password_hash } = await db
    .selectFrom('users')
    .select('password_hash')
    .where('email', '=', adminCredentials.email)
    .executeTakeFirstOrThrow()
  await db.insertInto('users').values({ id: userId, email, first_name: name, password_hash }).execute()
  if (member !== undefined)
    await db
      .insertInto('memberships')
      .values({
        id: newId(),
        organization_id: member.organization.replace('organizations/', ''),
        user_id: userId,
        role: member.role,
      })
      .execute()
  return { userId, email, password: adminCredentials.password }
}

/** Fills in the sign-in page and submits it. */
export const fillSignIn = async (page: Page, { email, password }: Omit<Person, 'userId'>): Promise<void> => {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The session in the form in which a page stores it. Missing values are null or absent. */
type StoredSession = {
  accessToken: string | null
  currentUserResourceName: string | null
  passwordOTPToken: string | null
  session: { organization: { name: string } | null; workspace: { name: string } | null }
  availableWorkspaces: { name: string }[]
  actOnBehalfOf: { organization: { name: string }; workspace: { name: string } } | null
}

/**
 * Starts a session in the page's browser without the screens of the sign-in page. Afterwards the page has an address
 * that loads nothing, so the test must open its first page. `login.spec.ts` uses the sign-in page itself.
 */
export const signIn = async (page: Page, { email, password }: Omit<Person, 'userId'>): Promise<void> => {
  const answer = await page.request.post('/api/users:login', { data: { email, password } })
  if (!answer.ok()) throw new Error(`${email} cannot sign in: ${answer.status()} ${await answer.text()}`)
  const login = await answer.json()
  const state = {
    session: { organization: null },
    availableWorkspaces: [],
    accessToken: login.access_token,
    passwordOTPToken: login.set_password_otp_token,
    currentUserResourceName: login.user.name,
    courierToken: login.courier_token,
    intercomToken: login.intercom_token,
    actOnBehalfOf: null,
  }
  await page.goto('/health')
  await page.evaluate((text) => localStorage.setItem('tributary-session', text), JSON.stringify({ state, version: 1 }))
}

/** Returns the session that the page has stored at the moment; empty if there is none. */
export const storedSession = (page: Page): Promise<Partial<StoredSession>> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('tributary-session') ?? '{}').state ?? {})

/**
 * Opens a page in its own browser profile, for another user, or as a second one of the same user. The fixture closes
 * the page.
 */
export const otherPage = async (
  chromium: Browser,
  { url }: Pick<Product, 'url'>,
): Promise<AsyncDisposable & { page: Page }> => {
  const context = await chromium.newContext({
    baseURL: url,
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  })
  return { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() }
}
