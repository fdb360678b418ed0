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

/** `t=…,v1=…,v1=…`: while a secret is rolled Stripe signs with the old and the new one. Other schemes are not heeded. */
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
 * Checks a delivery as https://docs.stripe.com/webhooks#verify-manually has it: HMAC-SHA256 of `{t}.{body}` with the
 * endpoint's secret, signed at most five minutes ago.
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

/** The object of an event: the whole one of a snapshot event, the reference of a thin one. */
const objectOf = (event: Fields): Fields => {
  const { data, related_object } = event
  if (isJsonObject(data) && isJsonObject(data['object'])) return data['object']
  return { ...(isJsonObject(data) ? data : {}), ...(isJsonObject(related_object) ? { related_object } : {}) }
}

/** All of the envelope but the object. */
const envelopeOf = (event: Fields): Fields => {
  const { data, related_object: _related, ...rest } = event
  const previous = isJsonObject(data) ? data['previous_attributes'] : undefined
  return { ...rest, ...(previous === undefined ? {} : { previous_attributes: previous }) }
}

/** An event of Stripe whose signature is right. */
export type StripeEvent = {
  type: string
  /** The same whenever Stripe sends it again. */
  id: string
  timestamp: string | undefined
  object: Fields
  /** The fields around the object. */
  envelope: Fields
  /** The account of a platform that it happened in. */
  account: string | undefined
  test: boolean
}

/** Reads a call of Stripe, or says why it is refused: it is not signed with the `signing_secret`, or no event. */
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

/** Values that a large object can lose. */
export const nulls = { name: 'null values', matches: (_name: string, value: unknown): boolean => value === null }
