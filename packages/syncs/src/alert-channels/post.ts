import { createHmac } from 'node:crypto'
import {
  ConfigurationError,
  DeliveryError,
  isWebPage,
  outcomeOfAnswer,
  type RequestClient,
} from '@tributary/connector-kit'
import { type Clock, cutText, type SecretBox, SecretBoxError } from '@tributary/kernel'
import { type AlertMessage, bodyOf } from './message.ts'
import { type AlertChannelRow, openChannel } from './read.ts'

/** The outcome of a message: sent, permanently refused, or to be retried. */
export type PostOutcome = { kind: 'sent' } | { kind: 'refused' | 'retry'; reason: string }

export type PostDeps = { requestClient: Pick<RequestClient, 'request'>; secretBox: SecretBox; clock: Clock }

/** Maximum characters of a server's response that are shown. */
const shownCharacters = 200

const unreadable = 'The URL cannot be read, because the server has another secret key. Create the channel again'

/**
 * Returns the signature of a webhook: HMAC-SHA256 in hex of `<seconds>.<body>`, like the signatures of destinations.
 */
const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

/**
 * Sends a message to a channel, once. A 2xx status is a success; 408, 429, 5xx, and no response are retried. Everything
 * else is refused, including a web page and a forbidden address. The reason contains no part of the URL. Never rejects
 * for an error of the called server.
 */
export const postAlert = async (
  { requestClient, secretBox, clock }: PostDeps,
  channel: Pick<AlertChannelRow, 'id' | 'kind' | 'secrets_encrypted'>,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<PostOutcome> => {
  try {
    const { url, signing_secret } = openChannel(secretBox, channel)
    const now = clock()
    const body = bodyOf(channel.kind, message)
    const headers = { 'content-type': 'application/json', 'user-agent': 'Tributary/1.0' }
    const signed: Record<string, string> =
      channel.kind === 'webhook'
        ? {
            'idempotency-key': message.id,
            'x-tributary-signature': signatureOf(signing_secret, Math.floor(now / 1000), body),
          }
        : {}
    const answer = await requestClient.request({
      method: 'POST',
      url,
      headers: { ...headers, ...signed },
      body,
      signal,
    })
    const outcome = outcomeOfAnswer(answer, now)
    if (outcome.kind === 'delivered')
      return channel.kind === 'slack' && isWebPage(answer)
        ? { kind: 'refused', reason: 'The URL returned a web page, so it is not a webhook' }
        : { kind: 'sent' }
    // The response may be an error code of Slack such as `channel_is_archived`. A longer text is not shown, because it
    // may quote the message.
    const said = answer.body.trim()
    const word = /^[\w ]{1,60}$/.test(said) ? `: ${said}` : ''
    const reason = `HTTP ${answer.status}${word}`.slice(0, shownCharacters)
    return { kind: outcome.kind === 'rejected' ? 'refused' : 'retry', reason }
  } catch (error) {
    if (error instanceof SecretBoxError) return { kind: 'refused', reason: unreadable }
    if (!(error instanceof DeliveryError)) throw error
    return {
      kind: error instanceof ConfigurationError ? 'refused' : 'retry',
      reason: cutText(error.message, shownCharacters),
    }
  }
}
