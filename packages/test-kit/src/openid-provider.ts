import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider, { type AdapterFactory, type AdapterPayload, interactionPolicy } from 'oidc-provider'

/** A user with an account at the provider. */
export type OpenIdUser = {
  email: string
  /** True by default. */
  emailVerified?: boolean
  givenName?: string
  familyName?: string
  /** The subject of the account at the provider; the email address by default. */
  subject?: string
}

/** A fault of the provider: it returns HTML errors or invalid JSON, or does not respond. `none` means no fault. */
export type OpenIdTrouble = 'none' | 'html' | 'not json' | 'silent'

export type OpenIdProvider = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`. */
  issuer: string
  clientId: string
  clientSecret: string
  /** The environment that configures the product to sign in here. */
  env: Record<string, string>
  /** Adds a user, or changes the one with this subject. */
  addUser(user: OpenIdUser): void
  /** From now on every browser is signed in as this user without a question; undefined ends that. */
  signInAs(email: string | undefined): void
  /** Sets a fault of everything except the sign-in pages, until it is called again. */
  trouble(kind: OpenIdTrouble): void
  /** Paths of the requests so far. */
  requests: readonly string[]
  /** A second client, which may access the protected resource and renew its access: each refresh token works once. */
  destination: DestinationClient
  /**
   * Follows the provider's sign-in URL back to the product like this user's browser, and returns the parameters of the
   * redirect: `code`, `state` and `iss`, or `error`.
   */
  walk(signInUrl: string, email: string): Promise<URLSearchParams>
}

/** An application that is registered for access to a user's resource. */
export type DestinationClient = {
  clientId: string
  clientSecret: string
  authorizeUrl: string
  tokenUrl: string
  /** Accepts requests with a valid access token, and returns 401 otherwise. */
  resourceUrl: string
  /** Requests to the resource, with the returned status. */
  received: readonly { status: number; authorization: string; body: string }[]
  /** Grant types of the token requests, with the returned status. */
  tokenRequests: readonly { grantType: string; status: number }[]
  /** Sets the lifetime of new access tokens, in seconds; initially 600. */
  accessTokenSeconds(seconds: number): void
  /** Invalidates every access token, as a server restart may; refresh tokens stay valid. */
  forgetAccessTokens(): void
  /** Revokes all grants, as their owner may at the provider. */
  revoke(): void
  /** With true, delays renewed tokens until it is called with false. */
  hold(on: boolean): void
}

const clientId = 'tributary'
const destinationClientId = 'tributary-destinations'

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

/**
 * Always asks for the user, so that tests and developers can change accounts without clearing cookies; never asks for
 * consent.
 */
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

/** The provider's storage in memory. */
const createMemory = (kept: Map<string, AdapterPayload>): AdapterFactory => {
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

type ProviderParts = {
  users: ReadonlyMap<string, OpenIdUser>
  memory: Map<string, AdapterPayload>
  secrets: { signIn: string; destinations: string }
  accessTokenSeconds: () => number
}

const createProvider = (issuer: string, { users, memory, secrets, accessTokenSeconds }: ProviderParts): Provider => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    adapter: createMemory(memory),
    renderError(context, error) {
      context.type = 'text/plain'
      context.body = `${error.error}: ${error.error_description ?? ''}`
    },
    clients: [
      {
        client_id: clientId,
        client_secret: secrets.signIn,
        // A native client may use any port of a loopback redirect URI (RFC 8252, 7.3); the rest is compared exactly.
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/auth/oauth-callback', 'http://localhost/auth/oauth-callback'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        client_id: destinationClientId,
        client_secret: secrets.destinations,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/destination-oauth-callback', 'http://localhost/destination-oauth-callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    jwks: { keys: [{ ...key, kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
    interactions: { policy: alwaysAsk(), url: (_, interaction) => `/interaction/${interaction.uid}` },
    ttl: {
      Interaction: 600,
      Grant: 600,
      Session: 600,
      AuthorizationCode: 60,
      AccessToken: accessTokenSeconds,
      IdToken: 600,
      RefreshToken: 600,
    },
    issueRefreshToken: async (_, client) => client.clientId === destinationClientId,
    rotateRefreshToken: true,
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
      grant.addOIDCClaims(['email'])
      await grant.save()
      return grant
    },
  })
  return provider
}

/** Follows redirects and the sign-in page like a browser, with cookies. */
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

const misbehave = (response: ServerResponse, trouble: OpenIdTrouble): void => {
  if (trouble === 'html')
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>')
  if (trouble === 'not json') response.writeHead(200, { 'content-type': 'application/json' }).end('{"issuer":')
}

/** A resource that accepts requests with a valid access token. */
const createResource = (provider: Provider) => {
  const received: { status: number; authorization: string; body: string }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { authorization = '' } = request.headers
    const token = await provider.AccessToken.find(authorization.replace(/^Bearer /, ''))
    const status = token === undefined ? 401 : 200
    received.push({ status, authorization, body })
    response.writeHead(status).end()
  }
  return { received, take }
}

/** Records the token requests, and holds renewed tokens back on demand. */
const watchTokens = (provider: Provider) => {
  const requests: { grantType: string; status: number }[] = []
  let held: PromiseWithResolvers<void> | undefined
  provider.use(async (context, next) => {
    if (context.path !== '/token') return await next()
    await next()
    const { grant_type: grantType } = (context.oidc?.params ?? {}) as { grant_type?: string }
    requests.push({ grantType: grantType ?? '', status: context.status })
    if (grantType === 'refresh_token') await held?.promise
  })
  return {
    requests,
    hold(on: boolean): void {
      if (on) held ??= Promise.withResolvers()
      else {
        held?.resolve()
        held = undefined
      }
    },
  }
}

/**
 * Starts a real OpenID provider on a free loopback port. Its sign-in page lists the users as buttons; nothing is
 * remembered between sign-ins.
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
  const [clientSecret, destinationSecret] = [0, 1].map(() => randomBytes(24).toString('base64url')) as [string, string]
  const memory = new Map<string, AdapterPayload>()
  let accessTokenSeconds = 600

  const server = createServer()
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = createProvider(issuer, {
    users,
    memory,
    secrets: { signIn: clientSecret, destinations: destinationSecret },
    accessTokenSeconds: () => accessTokenSeconds,
  })

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
  const forget = (...kinds: string[]): void => {
    for (const key of memory.keys()) if (kinds.includes(key.split(':')[0] ?? '')) memory.delete(key)
  }
  const resource = createResource(provider)
  const tokens = watchTokens(provider)
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const path = request.url ?? '/'
    requests.push(path.split('?')[0] ?? '')
    if (path.startsWith('/interaction/'))
      interact(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
    else if (path.startsWith('/resource')) resource.take(request, response).catch(() => response.destroy())
    else if (trouble === 'none' || path.startsWith('/auth')) void handle(request, response)
    else misbehave(response, trouble)
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
    destination: {
      clientId: destinationClientId,
      clientSecret: destinationSecret,
      // An ID token contains the email address only on request.
      authorizeUrl: `${issuer}/auth?claims=${encodeURIComponent('{"id_token":{"email":null}}')}`,
      tokenUrl: `${issuer}/token`,
      resourceUrl: `${issuer}/resource`,
      received: resource.received,
      tokenRequests: tokens.requests,
      accessTokenSeconds(seconds) {
        accessTokenSeconds = seconds
      },
      forgetAccessTokens: () => forget('AccessToken'),
      revoke: () => forget('AccessToken', 'RefreshToken', 'Grant'),
      hold: tokens.hold,
    },
    walk: (signInUrl, email) => walkAs(issuer, signInUrl, email),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
