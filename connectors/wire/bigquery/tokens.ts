import { ConfigurationError, cutText, isJsonObject, RetryableError } from '@tributary/connector-kit'
import type { Ask } from './ask.ts'
import { notBigQuery } from './failures.ts'
import { assertionOf, type ServiceAccount } from './service-account.ts'

/** The address of tokens. Addresses in key files are not used, because a key can be pasted from anywhere. */
export const tokenUrl = 'https://oauth2.googleapis.com/token'

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const answerBytes = 64 * 1024
/** How much sooner than its end a token is replaced, in ms. */
const soonerMs = 60_000

const membersOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text)
    return isJsonObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

type Token = { text: string; until: number }

/** Gives tokens by scope, each until shortly before its end. */
export type Tokens = {
  /** Returns a valid token. Rejects with a DeliveryError that names the reason. */
  of(scope: string): Promise<string>
  /** Forgets a token that Google no longer accepts. */
  forget(scope: string, token: string): void
}

/** Creates the tokens of a service account. Tokens are only in memory. */
export const createTokens = (
  account: ServiceAccount,
  { ask, url, clock, signal }: { ask: Ask; url: string; clock: () => number; signal: AbortSignal },
): Tokens => {
  const known = new Map<string, Token>()
  const asked = new Map<string, Promise<Token>>()

  const fetchToken = async (scope: string): Promise<Token> => {
    const now = clock()
    const body = new URLSearchParams({
      grant_type: grant,
      assertion: assertionOf(account, { scope, audience: url, now }),
    }).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Tributary/1.0',
    }
    // After the session has ended, its job still has to be cancelled.
    const ends = signal.aborted ? AbortSignal.timeout(5000) : signal
    const answer = await ask({ url, headers, body, maxBytes: answerBytes, timeoutMs: 20_000, signal: ends })
    const { status, retryAfterMs } = answer
    const { access_token: text, expires_in: seconds, error, error_description: description } = membersOf(answer.text)
    if (status === 200) {
      // A header can't have other characters. A token of Google has them in no form.
      if (typeof text !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(text)) throw notBigQuery('it has no access token')
      const lasts = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, 3600) : 300
      return { text, until: now + Math.max(lasts * 1000 - soonerMs, lasts * 500) }
    }
    if (status === 429 || status >= 500)
      throw new RetryableError(
        `Google responded with status ${status} for a token`,
        retryAfterMs === undefined ? {} : { retryAfterMs },
      )
    const given = [description, error].find((each): each is string => typeof each === 'string' && each !== '')
    const words = given ?? `status ${status}`
    throw new ConfigurationError(
      `Google does not accept the service account key: ${cutText(words, 300).toWellFormed()}`,
    )
  }

  return {
    async of(scope) {
      const kept = known.get(scope)
      if (kept !== undefined && kept.until > clock()) return kept.text
      const arriving = asked.get(scope) ?? fetchToken(scope).finally(() => asked.delete(scope))
      asked.set(scope, arriving)
      const token = await arriving
      known.set(scope, token)
      return token.text
    },
    forget(scope, token) {
      if (known.get(scope)?.text === token) known.delete(scope)
    },
  }
}
