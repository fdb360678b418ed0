import { createHash } from 'node:crypto'
import {
  hmacSha256,
  readTimeText,
  type Settings,
  sameSignature,
  signatureRefusals,
  type WebhookCall,
  type WebhookRefusal,
} from '@tributary/connector-kit'
import { type Fields, parseObject, text } from '../values.ts'

/** A delivery of Shopify with a valid signature. */
export type ShopifyDelivery = {
  topic: string
  body: Fields
  /** ID of the delivery, which is the same for repeated deliveries. */
  id: string
  timestamp: string | undefined
  shop: string | undefined
  /** The data of the headers. */
  envelope: Fields
  test: boolean
}

/**
 * Checks a delivery by https://shopify.dev/docs/apps/build/webhooks/subscribe/https; returns why it is refused. The
 * signature is base64 of HMAC-SHA256 of the body with the secret.
 */
const refusalOf = (call: WebhookCall, secret: string | undefined): WebhookRefusal | undefined => {
  if (secret === undefined) return signatureRefusals.secretNotSet('Shopify')
  const signature = text(call.headers['x-shopify-hmac-sha256'])
  if (signature === undefined) return signatureRefusals.missing('X-Shopify-Hmac-Sha256')
  return sameSignature(Buffer.from(signature, 'base64'), hmacSha256(secret, call.sent ?? call.body))
    ? undefined
    : signatureRefusals.invalid('Shopify')
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
 * Reads a call of Shopify, or returns why it is refused: it is not signed with the `signing_secret`, or is not a
 * webhook.
 */
export const readShopifyDelivery = (
  call: WebhookCall,
  settings: Settings,
): ShopifyDelivery | { refusal: WebhookRefusal } => {
  const refusal = refusalOf(call, text(text(settings['signing_secret'])?.trim()))
  if (refusal !== undefined) return { refusal }
  const { headers } = call
  const body = parseObject(call.body)
  const topic = text(headers['x-shopify-topic'])
  if (body === undefined || topic === undefined)
    return {
      refusal: {
        code: 400,
        reason: 'NOT_A_SHOPIFY_WEBHOOK',
        message: 'Not a Shopify webhook. The body must be a JSON object and `X-Shopify-Topic` must name the topic.',
      },
    }
  return {
    topic,
    body,
    id:
      text(headers['x-shopify-webhook-id']) ??
      text(headers['x-shopify-event-id']) ??
      createHash('sha256').update(topic).update(call.body).digest('hex'),
    timestamp: readTimeText(headers['x-shopify-triggered-at']),
    shop: text(headers['x-shopify-shop-domain']),
    envelope: envelopeOf(call, topic),
    test: headers['x-shopify-test'] === 'true' || body['test'] === true,
  }
}

/** Values that are removed from a large order: amounts that are repeated in both currencies, and empty values. */
export const repeatedAmounts = {
  name: 'values of _set and empty ones',
  matches: (name: string, value: unknown): boolean =>
    name.endsWith('_set') || value === null || (Array.isArray(value) && value.length === 0),
}
