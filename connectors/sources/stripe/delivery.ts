import {
  hmacSha256,
  isJsonObject,
  readTimeText,
  type Settings,
  sameSignature,
  signatureRefusals,
  type WebhookCall,
  type WebhookRefusal,
} from '@tributary/connector-kit'
import { type Fields, parseObject, text } from '../values.ts'

const toleranceMinutes = 5
const header = 'Stripe-Signature'

/**
 * Parses the header `t=…,v1=…,v1=…`. During the rotation of a secret, Stripe signs with the old and the new one. Other
 * schemes than `v1` are ignored.
 */
const parseHeader = (value: string | undefined): { time: string; signatures: Buffer[] } | undefined => {
  const pairs = (value ?? '').split(',').map((part): [string, string] => {
    const equals = part.indexOf('=')
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()]
  })
  const time = pairs.find(([name]) => name === 't')?.[1]
  const signatures = pairs
    .filter(([name, signature]) => name === 'v1' && /^[0-9a-f]{64}$/i.test(signature))
    .map(([, signature]) => Buffer.from(signature, 'hex'))
  return time === undefined || !/^\d{1,12}$/.test(time) || signatures.length === 0 ? undefined : { time, signatures }
}

/**
 * Checks a delivery by https://docs.stripe.com/webhooks#verify-manually; returns why it is refused. The signature is
 * HMAC-SHA256 of `{t}.{body}` with the endpoint's secret, signed at most five minutes ago.
 */
const refusalOf = (call: WebhookCall, secret: string | undefined): WebhookRefusal | undefined => {
  if (secret === undefined) return signatureRefusals.secretNotSet('Stripe')
  const signed = parseHeader(call.headers['stripe-signature'])
  if (signed === undefined) return signatureRefusals.missing(header)
  const expected = hmacSha256(secret, `${signed.time}.`, call.sent ?? call.body)
  if (!signed.signatures.some((signature) => sameSignature(signature, expected)))
    return signatureRefusals.invalid('Stripe')
  const age = call.receivedAt - Number(signed.time) * 1000
  return age > toleranceMinutes * 60_000 ? signatureRefusals.expired(toleranceMinutes) : undefined
}

/** Returns the object of an event: the complete object of a snapshot event, or the reference of a thin event. */
const objectOf = (event: Fields): Fields => {
  const { data, related_object } = event
  if (isJsonObject(data) && isJsonObject(data['object'])) return data['object']
  return { ...(isJsonObject(data) ? data : {}), ...(isJsonObject(related_object) ? { related_object } : {}) }
}

/** Returns the fields of the envelope without the object. */
const envelopeOf = (event: Fields): Fields => {
  const { data, related_object: _related, ...rest } = event
  const previous = isJsonObject(data) ? data['previous_attributes'] : undefined
  return { ...rest, ...(previous === undefined ? {} : { previous_attributes: previous }) }
}

/** An event of Stripe with a valid signature. */
export type StripeEvent = {
  type: string
  /** ID of the event, which is the same when Stripe sends the event again. */
  id: string
  timestamp: string | undefined
  object: Fields
  /** The fields around the object. */
  envelope: Fields
  /** The connected account of a platform in which the event happened. */
  account: string | undefined
  test: boolean
}

/**
 * Reads a call of Stripe, or returns why it is refused: it is not signed with the `signing_secret`, or is not an event.
 */
export const readStripeEvent = (call: WebhookCall, settings: Settings): StripeEvent | { refusal: WebhookRefusal } => {
  const refusal = refusalOf(call, text(text(settings['signing_secret'])?.trim()))
  if (refusal !== undefined) return { refusal }
  const event = parseObject(call.body)
  const type = text(event?.['type'])
  const id = text(event?.['id'])
  if (event === undefined || type === undefined || id === undefined)
    return {
      refusal: {
        code: 400,
        reason: 'NOT_A_STRIPE_EVENT',
        message: 'The body is no Stripe event: it has no id and type.',
      },
    }
  return {
    type,
    id,
    timestamp: readTimeText(event['created']),
    object: objectOf(event),
    envelope: envelopeOf(event),
    account: text(event['account']),
    test: event['livemode'] === false,
  }
}

/** Values that are removed from a large object. */
export const nulls = { name: 'null values', matches: (_name: string, value: unknown): boolean => value === null }
