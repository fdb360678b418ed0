import type { IncomingMessage, ServerResponse } from 'node:http'
import { createPace, defaultApiLimits, networkOf, receiveBody } from '@tributary/http'
import { createPool, type Logger } from '@tributary/kernel'

const path = '/webhooks/stripe'
const MiB = 1024 * 1024

/**
 * Maximum bytes of one webhook, and of all webhooks of one network and of all networks while they are read and
 * processed. Anyone can send webhooks, and a webhook has no verified owner yet, so there are no limits per user or
 * organization.
 */
const limits = { body: MiB, network: 2 * MiB, all: 8 * MiB }
/** Maximum number of webhooks that are read or processed at a time, of one network and in total. */
const places = { network: 16, all: 64 }

const answer = (response: ServerResponse, status: number): void => {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .end(status === 200 ? 'ok' : 'not taken')
}

/**
 * Receives webhooks of the payment provider and passes their bytes on unchanged, since they are signed. After a failure
 * the response is 503, so that the provider sends the webhook again.
 */
export const createPaymentWebhook = ({
  receive,
  clientIp,
  logger,
}: {
  receive(call: { body: Uint8Array; signature: string }): Promise<200 | 400 | 404>
  /** The client's address, as forwarded by trusted proxies. */
  clientIp(request: IncomingMessage): string
  logger: Logger
}) => {
  const pool = createPool({ total: limits.all, shares: { network: limits.network }, shrinking: ['network'] })
  const calls = createPool({ total: places.all, shares: { network: places.network }, shrinking: ['network'] })
  const pace = createPace(defaultApiLimits.pace)
  return {
    handles: (given: string): boolean => given === path,
    handle(request: IncomingMessage, response: ServerResponse): void {
      if (request.method !== 'POST') return answer(response, 405)
      const { 'stripe-signature': header } = request.headers
      const signature = typeof header === 'string' ? header : ''
      if (signature === '') return answer(response, 400)
      const holders = { network: networkOf(clientIp(request)) }
      const place = calls.take(holders)
      if (place === undefined) return answer(response, 503)
      receiveBody(request, { limit: limits.body, pool, pace }, holders, (body, held) => {
        if (typeof body === 'string') {
          place.release()
          return answer(response, body === 'overloaded' ? 503 : 400)
        }
        receive({ body, signature })
          .then(
            (status) => answer(response, status),
            (error: unknown) => {
              logger.warn({ err: error }, 'a webhook of the payment provider could not be taken')
              answer(response, 503)
            },
          )
          .finally(() => {
            held.release()
            place.release()
          })
      })
    },
  }
}
