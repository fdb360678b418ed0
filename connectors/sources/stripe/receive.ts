import {
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

const toleranceMinutes = 5
const header = 'Stripe-Signature'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

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
  const expected = hmacSha256(secret, `${signed.time}.`, call.body)
  if (!signed.signatures.some((signature) => sameSignature(signature, expected)))
    return signatureRefusals.invalid('Stripe')
  const age = call.receivedAt - Number(signed.time) * 1000
  return age > toleranceMinutes * 60_000 ? signatureRefusals.expired(toleranceMinutes) : undefined
}

const customerOf = (object: Fields): string | undefined => {
  if (object['object'] === 'customer') return text(object['id'])
  const { customer } = object
  return text(customer) ?? (isJsonObject(customer) ? text(customer['id']) : undefined)
}

const userOf = (object: Fields, key: string): string | undefined => {
  const { metadata } = object
  return (isJsonObject(metadata) ? text(metadata[key]) : undefined) ?? text(object['client_reference_id'])
}

/** What an event is about: the object of a snapshot event; what there is in a thin one. */
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

const timeOf = (created: unknown): string | undefined => {
  const time = typeof created === 'number' ? created * 1000 : Date.parse(text(created) ?? '')
  return Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined
}

const traitNames = ['email', 'name', 'phone', 'address', 'description', 'currency', 'delinquent', 'metadata']

const traitsOf = (customer: Fields): Fields => ({
  ...Object.fromEntries(
    traitNames
      .filter((name) => customer[name] !== undefined && customer[name] !== null)
      .map((name) => [name, customer[name]]),
  ),
  stripe_customer_id: customer['id'],
})

const parse = (body: Buffer): Fields | undefined => {
  try {
    const value: unknown = parseExactJson(body.toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const nulls = { name: 'null values', matches: (_name: string, value: unknown) => value === null }

/**
 * A Stripe event becomes a track event of its type with the object as its properties and the rest of the envelope in
 * `context.stripe`. The event's id is the message id, so that what Stripe sends again counts once. The user is who the
 * metadata or the checkout's client reference names; else the customer stands as an anonymous id. A new or changed
 * customer is an identify call, too.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const refusal = refusalOf(call, text(text(settings['signing_secret'])?.trim()))
  if (refusal !== undefined) return { refusal }
  const event = parse(call.body)
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
  const object = objectOf(event)
  const userId = userOf(object, text(settings['user_id_key']) ?? 'user_id')
  const timestamp = timeOf(event['created'])
  const common = {
    anonymousId: customerOf(object) ?? text(event['account']) ?? 'stripe',
    ...(userId === undefined ? {} : { userId }),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
  const context = { stripe: envelopeOf(event), ...(event['livemode'] === false ? { test: true } : {}) }
  const track = fitEvent({ type: 'track', event: type, messageId: id, ...common, properties: object, context }, nulls)
  if (type !== 'customer.created' && type !== 'customer.updated') return { events: [track] }
  const { test } = context
  const identify = {
    type: 'identify',
    messageId: `${id}-identify`,
    ...common,
    traits: traitsOf(object),
    ...(test === undefined ? {} : { context: { test } }),
  }
  return { events: [identify, track] }
}
