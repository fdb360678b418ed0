import type { RequestClient } from '@tributary/connector-kit'
import { isJsonObject, type JsonObject } from '@tributary/kernel'
import { PaymentDeclined, PaymentRefused, PaymentUnavailable, unconfirmedText } from '../provider.ts'

/** The API version that this adapter is written for. */
export const stripeVersion = '2026-10-28.endive'

export type FormValue = string | number | boolean | undefined | readonly FormValue[] | { [name: string]: FormValue }

/** Encodes values in Stripe's form: `items[0][price]=…`. Undefined values are left out. */
export const formBody = (values: Readonly<Record<string, FormValue>>): string => {
  const form = new URLSearchParams()
  const add = (name: string, value: FormValue): void => {
    if (value === undefined) return
    if (typeof value !== 'object') form.append(name, String(value))
    else for (const [key, part] of Object.entries(value)) add(`${name}[${key}]`, part as FormValue)
  }
  for (const [name, value] of Object.entries(values)) add(name, value)
  return form.toString()
}

export type StripeApi = {
  /** Reads an object. Resolves to undefined if it does not exist. */
  find(path: string, query?: Readonly<Record<string, FormValue>>): Promise<JsonObject | undefined>
  get(path: string, query?: Readonly<Record<string, FormValue>>): Promise<JsonObject>
  /** Makes a changing call. With a key, it takes effect once, however often it is repeated within a day. */
  post(path: string, values: Readonly<Record<string, FormValue>>, key?: string): Promise<JsonObject>
  delete(path: string): Promise<void>
}

/** Returns an ID for use in a path. Stripe's IDs need no encoding; the encoding makes any other text harmless. */
export const idPath = (id: string): string => encodeURIComponent(id).slice(0, 255)

const parse = (body: string): JsonObject => {
  try {
    const json: unknown = JSON.parse(body)
    if (isJsonObject(json)) return json
  } catch {}
  throw new PaymentUnavailable()
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const declines: Readonly<Record<string, string>> = {
  insufficient_funds: 'The card was declined for insufficient funds',
  expired_card: 'The card has expired',
}

/** Error codes of charges that failed because the bank asks for a confirmation. */
const toConfirm: ReadonlySet<string> = new Set([
  'authentication_required',
  'subscription_payment_intent_requires_action',
  'invoice_payment_intent_requires_action',
])

/** Returns the error for an unsuccessful response. Messages are for users, and never mention keys. */
const failureOf = (status: number, body: string): Error => {
  // The user cannot fix wrong keys, too many calls, or a conflict with a running call.
  if (status === 401 || status === 403 || status === 409 || status === 429 || status >= 500)
    return new PaymentUnavailable({ cause: new Error(`Stripe answered ${status}`) })
  const { error } = parse(body)
  const given = isJsonObject(error) ? error : {}
  if (status === 402) {
    const codes = [textOf(given.decline_code), textOf(given.code)]
    if (codes.some((code) => toConfirm.has(code))) return new PaymentDeclined(unconfirmedText, true)
    const why = codes.map((code) => declines[code]).find((text) => text !== undefined)
    return new PaymentDeclined(why ?? 'The card was declined')
  }
  return new PaymentRefused(textOf(given.message).slice(0, 300) || `Stripe answered ${status}`, textOf(given.code))
}

/**
 * Makes a client of Stripe's API (docs.stripe.com/api) that only calls the given address. Its calls throw
 * PaymentDeclined, PaymentRefused, and PaymentUnavailable.
 */
export const createStripeApi = (
  { request }: Pick<RequestClient, 'request'>,
  { apiUrl, secretKey }: { apiUrl: string; secretKey: string },
): StripeApi => {
  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    given: { body?: string; key?: string | undefined } = {},
  ): Promise<{ status: number; body: string }> => {
    const sent = request({
      method,
      url: `${apiUrl}/v1/${path}`,
      headers: {
        authorization: `Bearer ${secretKey}`,
        'stripe-version': stripeVersion,
        ...(given.body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(given.key === undefined ? {} : { 'idempotency-key': given.key }),
      },
      ...(given.body === undefined ? {} : { body: given.body }),
      timeoutMs: 30_000,
      keepBytes: 4 * 1024 * 1024,
      readBytes: 4 * 1024 * 1024,
    })
    return await sent.catch((cause: unknown) => {
      throw new PaymentUnavailable({ cause })
    })
  }
  const answer = ({ status, body }: { status: number; body: string }): JsonObject => {
    if (status < 200 || status > 299) throw failureOf(status, body)
    return parse(body)
  }
  const queried = (path: string, query: Readonly<Record<string, FormValue>>): string => {
    const text = formBody(query)
    return text === '' ? path : `${path}?${text}`
  }
  return {
    async find(path, query = {}) {
      const found = await ask('GET', queried(path, query))
      return found.status === 404 ? undefined : answer(found)
    },
    get: async (path, query = {}) => answer(await ask('GET', queried(path, query))),
    post: async (path, values, key) => answer(await ask('POST', path, { body: formBody(values), key })),
    async delete(path) {
      answer(await ask('DELETE', path))
    },
  }
}
