import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpointsOf } from './endpoints.ts'
import { readForm } from './form.ts'
import { invalid, missing, StripeError, StripeState } from './state.ts'

export const stripePeerKeys = {
  secretKey: 'sk_test_peer',
  publishableKey: 'pk_test_peer',
  webhookSecret: 'whsec_peer',
} as const

/** How a simulated failure ends a call: the call never arrives (`before`), or its response never does (`after`). */
export type Cut = 'before' | 'after' | undefined

export type StripePeer = AsyncDisposable & {
  url: string
  state: StripeState
  /** The calls, with their idempotency keys. */
  calls: { method: string; path: string; key: string | undefined; body: string }[]
  /** Returns for each call whether it is cut; changeable at any time. */
  cut: (call: { method: string; path: string }) => Cut
  /** While set, every call returns this status and does nothing. */
  failing: number | undefined
  /** Confirms a setup intent by its secret, like Stripe's card form; returns the ID of the card. */
  confirmSetup(clientSecret: string, card?: { declines?: boolean; confirms?: boolean; last4?: string }): string
  /** A signed webhook: docs.stripe.com/webhooks#verify-manually. */
  webhook(
    object: Record<string, unknown>,
    given?: { secret?: string; time?: number; account?: string; livemode?: boolean },
  ): { body: Buffer; signature: string }
}

type Answer = { status: number; body: string }

const errorBody = ({ type, message, code }: StripeError): string => JSON.stringify({ error: { type, message, code } })

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Answers calls. A repeated call with an idempotency key gets its first answer again. */
const createAnswers = (state: StripeState, url: () => string) => {
  const known = new Map<string, { asked: string; answer: Answer }>()
  const perform = (method: string, path: string, query: string, body: string): Answer => {
    const found = endpointsOf(state, url()).find((each) => each.method === method && each.path.test(path))
    if (found === undefined)
      throw new StripeError(404, 'invalid_request_error', `Unrecognized request URL (${method}: /v1/${path}).`)
    const form = readForm(method === 'GET' ? query : body)
    for (const name of Object.keys(form))
      if (!found.fields.includes(name)) throw invalid(`Received unknown parameter: ${name}`, 'parameter_unknown')
    const params = found.path.exec(path)?.slice(1) ?? []
    return { status: 200, body: JSON.stringify(found.answer({ params, form })) }
  }
  return (request: IncomingMessage, body: string): Answer => {
    const { pathname, search } = new URL(request.url ?? '/', url())
    const method = request.method ?? 'GET'
    const path = pathname.replace(/^\/v1\//, '')
    const { authorization } = request.headers
    const { 'stripe-version': version, 'idempotency-key': key } = request.headers
    try {
      if (authorization !== `Bearer ${stripePeerKeys.secretKey}`)
        throw new StripeError(401, 'invalid_request_error', 'Invalid API Key provided')
      if (version !== '2026-10-28.endive') throw invalid('The peer knows one version only')
      if (typeof key !== 'string') return perform(method, path, search.slice(1), body)
      const asked = `${method} ${path} ${body}`
      const before = known.get(key)
      if (before !== undefined && before.asked !== asked)
        throw new StripeError(
          400,
          'idempotency_error',
          'Keys for idempotent requests can only be used with the same parameters',
        )
      if (before !== undefined) return before.answer
      let answer: Answer
      try {
        answer = perform(method, path, search.slice(1), body)
      } catch (cause) {
        // The response to an invalid call, which had no effect, is not stored.
        if (!(cause instanceof StripeError) || cause.status === 400 || cause.status === 404) throw cause
        answer = { status: cause.status, body: errorBody(cause) }
      }
      known.set(key, { asked, answer })
      return answer
    } catch (cause) {
      const error = cause instanceof StripeError ? cause : missing('answer', String(cause))
      return { status: error.status, body: errorBody(error) }
    }
  }
}

/**
 * A stand-in for Stripe. It stores customers, cards, subscriptions and invoices, and enforces the rules of Stripe's
 * reference for the used calls. These are keys, versions, unknown parameters, idempotency
 * (docs.stripe.com/api/idempotent_requests), declined charges, schedules, and which invoices can be paid or voided.
 * Prorations use its own arithmetic.
 */
export const startStripePeer = async ({ now }: { now: number }): Promise<StripePeer> => {
  const state = new StripeState(now)
  let port = 0
  const url = () => `http://127.0.0.1:${port}`
  const answerOf = createAnswers(state, url)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const call = {
      method: request.method ?? 'GET',
      path: (request.url ?? '').split('?')[0]?.replace(/^\/v1\//, '') ?? '',
    }
    const key = request.headers['idempotency-key']
    peer.calls.push({ ...call, key: typeof key === 'string' ? key : undefined, body })
    const cut = peer.cut(call)
    if (cut === 'before') return void request.socket.destroy()
    const answer =
      peer.failing === undefined
        ? answerOf(request, body)
        : { status: peer.failing, body: '{"error":{"type":"api_error"}}' }
    if (cut === 'after') return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  const peer: StripePeer = {
    url: url(),
    state,
    calls: [],
    cut: () => undefined,
    failing: undefined,
    confirmSetup(clientSecret, { declines = false, confirms = false, last4 = '4242' } = {}) {
      const customer = state.intents.get(clientSecret)
      if (customer === undefined) throw new Error('The setup intent is used, or there is none')
      state.intents.delete(clientSecret)
      const id = state.id('pm')
      state.cards.set(id, { id, customer, last4, declines, confirms, created: state.now })
      return id
    },
    webhook(object, { secret = stripePeerKeys.webhookSecret, time = state.now, account, livemode = false } = {}) {
      const event = { id: state.id('evt'), object: 'event', livemode, account, type: 'any', data: { object } }
      const body = Buffer.from(JSON.stringify(event))
      const signed = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
      return { body, signature: `t=${time},v1=${signed}` }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return peer
}
