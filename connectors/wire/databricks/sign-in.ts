import { ConfigurationError, hideSecrets, isJsonObject, parseRetryAfter } from '@tributary/connector-kit'
import type { WorkspaceAccess } from './access.ts'
import { deliveryError, notDatabricks, Refusal, refusalOf } from './failures.ts'
import { type Answer, sendRequest, textOf, type Way } from './send.ts'

/** Maximum bytes of an answer of the sign-in, and of an error. */
export const refusalBytes = 64 * 1024
/** How long before its end a token is no longer used, in ms. */
const soonerMs = 60_000
/** The lifetime of a token if the server names none, in seconds. */
const usualSeconds = 3600

/** The credentials of a workspace. */
export type SignIn = {
  /** Returns the current token. `refused` is a token that was answered with 401: another one is then fetched. */
  token(way: Way, refused?: string): Promise<string>
  /** Returns a text without the secrets. */
  hide(text: string): string
}

/** Sends a request whose answer is short, and returns its status and text. */
export const shortAnswer = async (
  request: Parameters<typeof sendRequest>[0],
  way: Way,
): Promise<{ status: number; text: string; retryAfterMs: number | undefined }> => {
  async function* whole(answer: Answer) {
    const text = await textOf(answer, refusalBytes)
    yield { status: answer.status, text, retryAfterMs: parseRetryAfter(answer.headers['retry-after'], Date.now()) }
  }
  for await (const answer of sendRequest(request, way, whole)) return answer
  throw notDatabricks()
}

type Token = { token: string; untilMs: number }

/** Fetches a token for a service principal (docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m). */
const fetchToken = async (access: WorkspaceAccess, origin: string, way: Way): Promise<Token> => {
  const { client_id = '', client_secret = '' } = access
  const { status, text, retryAfterMs } = await shortAnswer(
    {
      method: 'POST',
      url: `${origin}/oidc/v1/token`,
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials&scope=all-apis',
    },
    way,
  )
  if (status !== 200) {
    const refusal = refusalOf(status, text, retryAfterMs)
    if (!(refusal instanceof Refusal) || status === 429 || status >= 500) throw deliveryError(refusal)
    throw new ConfigurationError(
      `Databricks does not accept the client ID and secret: ${hideSecrets(refusal.message, [client_secret])}`,
    )
  }
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (error) {
    throw notDatabricks(error)
  }
  if (!isJsonObject(answer) || typeof answer.access_token !== 'string' || !/^[\x21-\x7e]+$/.test(answer.access_token))
    throw notDatabricks()
  const seconds = typeof answer.expires_in === 'number' ? answer.expires_in : usualSeconds
  return { token: answer.access_token, untilMs: Date.now() + seconds * 1000 - soonerMs }
}

/**
 * Creates the credentials of a workspace at `origin`. A token of OAuth is kept until one minute before its end. Rejects
 * with a DeliveryError that has no secret.
 */
export const createSignIn = (access: WorkspaceAccess, origin: string): SignIn => {
  let kept: Token | undefined
  const secrets = (): string[] => [access.client_secret ?? '', access.token ?? '', kept?.token ?? '']
  return {
    token: async (way, refused) => {
      if (access.sign_in === 'token') return access.token ?? ''
      if (kept === undefined || kept.token === refused || kept.untilMs <= Date.now())
        kept = await fetchToken(access, origin, way)
      return kept.token
    },
    hide: (text) => hideSecrets(text, secrets()),
  }
}
