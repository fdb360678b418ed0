import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBodyBudget, createPace, defaultApiLimits, receiveBody } from '@tributary/http'
import type { Logger } from '@tributary/kernel'

const path = '/webhooks/stripe'
const MiB = 1024 * 1024

/** What a webhook may weigh, and all of them together while they are read: strangers send them too. */
const most = { body: MiB, all: 8 * MiB }

const answer = (response: ServerResponse, status: number): void => {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .end(status === 200 ? 'ok' : 'not taken')
}

/**
 * Where the payment provider tells what has happened: the bytes are passed on as they came, since they are signed. What fails is
 * answered with 503, upon which the provider sends it again.
 */
export const createPaymentWebhook = ({
  receive,
  logger,
}: {
  receive(call: { body: Uint8Array; signature: string }): Promise<200 | 400 | 404>
  logger: Logger
}) => {
  const budget = createBodyBudget({ limit: most.all, share: most.all })
  const pace = createPace(defaultApiLimits.pace)
  return {
    handles: (given: string): boolean => given === path,
    handle(request: IncomingMessage, response: ServerResponse): void {
      if (request.method !== 'POST') return answer(response, 405)
      const { 'stripe-signature': header } = request.headers
      const signature = typeof header === 'string' ? header : ''
      if (signature === '') return answer(response, 400)
      receiveBody(request, { limit: most.body, budget, pace }, 'strangers', (body, held) => {
        if (typeof body === 'string') return answer(response, body === 'overloaded' ? 503 : 400)
        receive({ body, signature })
          .then(
            (status) => answer(response, status),
            (error: unknown) => {
              logger.warn({ err: error }, 'a webhook of the payment provider could not be taken')
              answer(response, 503)
            },
          )
          .finally(() => held.release())
      })
    },
  }
}
