import { createHash } from 'node:crypto'
import {
  ExactNumber,
  fitEvent,
  hmacSha256,
  isJsonObject,
  parseExactJson,
  type ReceiveWebhook,
  sameSignature,
  signatureRefusals,
  type WebhookCall,
  type WebhookRefusal,
} from '@tributary/connector-kit'

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const idText = (value: unknown): string | undefined =>
  typeof value === 'number' || value instanceof ExactNumber ? String(value) : text(value)

/**
 * Checks a delivery as https://shopify.dev/docs/apps/build/webhooks/subscribe/https has it: base64 of HMAC-SHA256 of the
 * body with the secret.
 */
const refusalOf = (call: WebhookCall, secret: string | undefined): WebhookRefusal | undefined => {
  if (secret === undefined) return signatureRefusals.secretNotSet('Shopify')
  const given = text(call.headers['x-shopify-hmac-sha256'])
  if (given === undefined) return signatureRefusals.missing('X-Shopify-Hmac-Sha256')
  return sameSignature(Buffer.from(given, 'base64'), hmacSha256(secret, call.body))
    ? undefined
    : signatureRefusals.invalid('Shopify')
}

const parse = (body: Buffer): Fields | undefined => {
  try {
    const value: unknown = parseExactJson(body.toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isCustomer = (topic: string): boolean => /^customers\/(create|update|enable|disable|delete)$/.test(topic)

/** The customer that a body is about: itself, or the one that an order, a checkout or a draft names. */
const customerOf = (topic: string, body: Fields): string | undefined => {
  if (isCustomer(topic)) return idText(body['id'])
  const { customer } = body
  return (isJsonObject(customer) ? idText(customer['id']) : undefined) ?? idText(body['customer_id'])
}

const timeOf = (value: string | undefined): string | undefined => {
  const time = Date.parse(value ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

const traitNames = ['email', 'first_name', 'last_name', 'phone', 'state', 'tags', 'currency', 'verified_email']

const traitsOf = (customer: Fields): Fields => ({
  ...Object.fromEntries(
    traitNames
      .filter((name) => customer[name] !== undefined && customer[name] !== null)
      .map((name) => [name, customer[name]]),
  ),
  ...(isJsonObject(customer['default_address']) ? { address: customer['default_address'] } : {}),
  shopify_customer_id: idText(customer['id']),
})

/** Amounts in both currencies once more, and what is empty: a large order does without. */
const repeated = {
  name: 'values of _set and empty ones',
  matches: (name: string, value: unknown) =>
    name.endsWith('_set') || value === null || (Array.isArray(value) && value.length === 0),
}

const envelopeOf = ({ headers }: WebhookCall, topic: string): Fields =>
  Object.fromEntries(
    [
      ['topic', topic],
      ['shop_domain', headers['x-shopify-shop-domain']],
      ['api_version', headers['x-shopify-api-version']],
      ['webhook_id', headers['x-shopify-webhook-id']],
      ['event_id', headers['x-shopify-event-id']],
    ].filter(([, value]) => value !== undefined),
  )

/**
 * A Shopify webhook becomes a track event of its topic with the body as its properties and what its headers say in
 * `context.shopify`. The webhook's id is the message id, so that what Shopify sends again counts once. The customer is
 * the user; where there is none the cart or checkout, else the shop, stands as an anonymous id. A new or changed customer
 * is an identify call, too.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const refusal = refusalOf(call, text(text(settings['signing_secret'])?.trim()))
  if (refusal !== undefined) return { refusal }
  const body = parse(call.body)
  const topic = text(call.headers['x-shopify-topic'])
  if (body === undefined || topic === undefined)
    return {
      refusal: {
        code: 400,
        reason: 'NOT_A_SHOPIFY_WEBHOOK',
        message: 'Not a Shopify webhook. The body must be a JSON object and `X-Shopify-Topic` must name the topic.',
      },
    }
  const { headers } = call
  const id =
    text(headers['x-shopify-webhook-id']) ??
    text(headers['x-shopify-event-id']) ??
    createHash('sha256').update(topic).update(call.body).digest('hex')
  const userId = customerOf(topic, body)
  const timestamp = timeOf(headers['x-shopify-triggered-at'])
  const anonymousId =
    text(body['cart_token']) ?? text(body['checkout_token']) ?? text(headers['x-shopify-shop-domain']) ?? 'shopify'
  const common = {
    ...(userId === undefined ? { anonymousId } : { userId }),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
  const test = headers['x-shopify-test'] === 'true' || body['test'] === true ? { test: true } : {}
  const track = fitEvent(
    {
      type: 'track',
      event: topic,
      messageId: id,
      ...common,
      properties: body,
      context: { shopify: envelopeOf(call, topic), ...test },
    },
    repeated,
  )
  if (topic !== 'customers/create' && topic !== 'customers/update') return { events: [track] }
  const identify = { type: 'identify', messageId: `${id}-identify`, ...common, traits: traitsOf(body), context: test }
  return { events: [identify, track] }
}
