import { type DataSourceContext, RetryableError } from '@tributary/connector-kit'
import { accountOf, type SnowflakeAccess } from './account.ts'
import { createExchange, type ExchangeAnswer, textOf } from './exchange.ts'
import { refusalOf } from './failures.ts'
import { createTokens } from './token.ts'

/** Maximum bytes of a response without rows. */
const shortBytes = 1024 * 1024
/** Maximum ms until the head of a response. */
const answerMs = 30_000

export type SnowflakeRequest = { method: 'GET' | 'POST'; path: string; body?: string }

/** Signed requests to an account. */
export type SnowflakeRequests = {
  /** Sends a request. Rejects with a DeliveryError after 30 seconds without a response, or when the signal aborts. */
  ask(request: SnowflakeRequest, until: AbortSignal): Promise<ExchangeAnswer>
  /** Returns the error that a response reports. Ends the response. */
  refused(answer: ExchangeAnswer): Promise<Error>
  /** Returns the text of a response without rows. Ends the response. */
  text(answer: ExchangeAnswer): Promise<string>
  close(): void
}

/**
 * Creates the requests to an account, each with a token of the user (…/sql-api/authenticating). After a refusal of an
 * old token, a request is sent once more with a new one. Throws ConfigurationError for a key that cannot be read.
 */
export const createRequests = (
  access: Pick<SnowflakeAccess, 'account' | 'user' | 'private_key'>,
  { connect, origin }: Pick<DataSourceContext, 'connect'> & { origin?: string | undefined },
): SnowflakeRequests => {
  const tokens = createTokens(access)
  const exchange = createExchange(origin ?? `https://${accountOf(access.account)?.host ?? ''}`, { connect })

  const signed = async (request: SnowflakeRequest, signal: AbortSignal): Promise<ExchangeAnswer> => {
    for (;;) {
      const headers = {
        authorization: `Bearer ${tokens.current()}`,
        'x-snowflake-authorization-token-type': 'KEYPAIR_JWT',
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'Tributary/1.0',
      }
      const answer = await exchange.ask({ ...request, headers, signal })
      if (answer.status !== 401 || !tokens.refused()) return answer
      answer.end()
    }
  }
  const text = async (answer: ExchangeAnswer): Promise<string> => (await textOf(answer, shortBytes)) ?? ''
  return {
    async ask(request, until) {
      const over = new AbortController()
      const timer = setTimeout(() => over.abort(), answerMs)
      try {
        return await signed(request, AbortSignal.any([until, over.signal]))
      } catch (error) {
        if (over.signal.aborted)
          throw new RetryableError(`Snowflake did not respond within ${answerMs / 1000} seconds`, { cause: error })
        throw until.aborted ? new RetryableError('Interrupted', { cause: error }) : error
      } finally {
        clearTimeout(timer)
      }
    },
    text,
    refused: async (answer) => refusalOf(answer.status, answer.headers, await text(answer)),
    close: exchange.close,
  }
}
