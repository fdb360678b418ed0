import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider, { type AdapterFactory, type AdapterPayload, interactionPolicy } from 'oidc-provider'

/** Somebody who has an account at the provider. */
export type OpenIdUser = {
  email: string
  /** True unless given. */
  emailVerified?: boolean
  givenName?: string
  familyName?: string
  /** What identifies the account at the provider; the address unless given. */
  subject?: string
}

/** What goes wrong at the provider: HTML errors, broken JSON, no answer for as long as it lasts, or nothing. */
export type OpenIdTrouble = 'none' | 'html' | 'not json' | 'silent'

export type OpenIdProvider = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`. */
  issuer: string
  clientId: string
  clientSecret: string
  /** The settings that make the product sign in here. */
  env: Record<string, string>
  /** Adds somebody, or changes who has this subject. */
  addUser(user: OpenIdUser): void
  /** From now on (undefined: no longer) everybody who comes is this user, without being asked. */
  signInAs(email: string | undefined): void
  /** Makes everything but the sign-in pages misbehave until it is called again. */
  trouble(kind: OpenIdTrouble): void
  /** Paths of the requests so far. */
  requests: readonly string[]
  /**
   * Walks from the provider's sign-in address back to the product as this user's browser would, and returns what the
   * return address carries: `code`, `state` and `iss`, or `error`.
   */
  walk(signInUrl: string, email: string): Promise<URLSearchParams>
}

const clientId = 'tributary'

const escapeHtml = (value: string): string => value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (users: Iterable<OpenIdUser>): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<style>body{font:16px system-ui;max-width:24rem;margin:15vh auto;padding:0 1rem}button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit;text-align:left}</style>
<h1>Sign in</h1>
<form method="post">
${[...users].map((user) => `<button name="email" value="${escapeHtml(user.email)}">${escapeHtml(user.email)}</button>`).join('\n')}
<button name="cancel" value="1">Cancel</button>
</form>
</html>`

const subjectOf = (user: OpenIdUser): string => user.subject ?? user.email

/** Asks who it is each time, so that tests and developers can change sides without clearing cookies; never for consent. */
const alwaysAsk = (): interactionPolicy.DefaultPolicy => {
  const policy = interactionPolicy.base()
  policy.remove('consent')
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check('choose', 'a user has to be chosen', 'login_required', (context) =>
        context.oidc.result?.login === undefined
          ? interactionPolicy.Check.REQUEST_PROMPT
          : interactionPolicy.Check.NO_NEED_TO_PROMPT,
      ),
    )
  return policy
}

/** What the provider remembers, as long as it runs. */
const createMemory = (): AdapterFactory => {
  const kept = new Map<string, AdapterPayload>()
  return (kind) => {
    const keyOf = (id: string): string => `${kind}:${id}`
    const find = async (test: (payload: AdapterPayload) => boolean): Promise<AdapterPayload | undefined> =>
      [...kept].find(([key, payload]) => key.startsWith(`${kind}:`) && test(payload))?.[1]
    return {
      async upsert(id, payload) {
        kept.set(keyOf(id), payload)
      },
      find: async (id) => kept.get(keyOf(id)),
      findByUid: (uid) => find((payload) => payload.uid === uid),
      findByUserCode: (code) => find((payload) => payload.userCode === code),
      async consume(id) {
        const payload = kept.get(keyOf(id))
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
      },
      async destroy(id) {
        kept.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key)
      },
    }
  }
}

const createProvider = (issuer: string, clientSecret: string, users: ReadonlyMap<string, OpenIdUser>): Provider => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    adapter: createMemory(),
    renderError(context, error) {
      context.type = 'text/plain'
      context.body = `${error.error}: ${error.error_description ?? ''}`
    },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        // A native client may return to any port of the loopback address (RFC 8252, 7.3); the rest is compared exactly.
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/auth/oauth-callback', 'http://localhost/auth/oauth-callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    jwks: { keys: [{ ...key, kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { policy: alwaysAsk(), url: (_, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    async findAccount(_, subject) {
      const user = [...users.values()].find((each) => subjectOf(each) === subject)
      if (user === undefined) return undefined
      const { email, emailVerified = true, givenName, familyName } = user
      return {
        accountId: subject,
        claims: async () => ({
          sub: subject,
          email,
          email_verified: emailVerified,
          given_name: givenName,
          family_name: familyName,
          name: [givenName, familyName].filter((part) => part !== undefined).join(' '),
        }),
      }
    },
    async loadExistingGrant(context) {
      const { client, session } = context.oidc
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  return provider
}

/** A browser's way through redirects and the sign-in page, with its cookies. */
const walkAs = async (issuer: string, signInUrl: string, email: string): Promise<URLSearchParams> => {
  const cookies = new Map<string, string>()
  let url = new URL(signInUrl)
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const answer = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: form }),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) {
      if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
      form = new URLSearchParams({ email })
      continue
    }
    form = undefined
    url = new URL(location, url)
    if (url.origin !== issuer) return url.searchParams
  }
  throw new Error(`the provider leads in circles: ${url}`)
}

/**
 * Starts a real OpenID provider on a free port of the loopback address. Its sign-in page lists the users as buttons;
 * nothing is remembered between sign-ins.
 */
export const startOpenIdProvider = async (
  options: { users?: readonly OpenIdUser[]; port?: number } = {},
): Promise<OpenIdProvider> => {
  const users = new Map<string, OpenIdUser>()
  const addUser = (user: OpenIdUser): void => void users.set(subjectOf(user), user)
  for (const user of options.users ?? []) addUser(user)
  const byEmail = (email: string): OpenIdUser | undefined => [...users.values()].find((user) => user.email === email)
  let automatic: string | undefined
  let trouble: OpenIdTrouble = 'none'
  const requests: string[] = []
  const clientSecret = randomBytes(24).toString('base64url')

  const server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = createProvider(issuer, clientSecret, users)

  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = request.method === 'POST' ? new URLSearchParams(await text(request)) : undefined
    if (given === undefined && automatic === undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(users.values()))
      return
    }
    const user = byEmail(automatic ?? given?.get('email') ?? '')
    await provider.interactionFinished(
      request,
      response,
      user === undefined
        ? { error: 'access_denied', error_description: 'The user has cancelled' }
        : { login: { accountId: subjectOf(user) } },
    )
  }
  const misbehave = (response: ServerResponse): void => {
    if (trouble === 'html')
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>')
    if (trouble === 'not json') response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":')
  }
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const path = request.url ?? '/'
    requests.push(path.split('?')[0] ?? '')
    if (path.startsWith('/interaction/'))
      interact(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
    else if (trouble === 'none' || path.startsWith('/auth')) void handle(request, response)
    else misbehave(response)
  })

  return {
    issuer,
    clientId,
    clientSecret,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    addUser,
    signInAs(email) {
      automatic = email
    },
    trouble(kind) {
      trouble = kind
    },
    requests,
    walk: (signInUrl, email) => walkAs(issuer, signInUrl, email),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
