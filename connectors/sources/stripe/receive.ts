import { fitEvent, isJsonObject, type ReceiveWebhook } from '@tributary/connector-kit'
import { type Fields, text } from '../values.ts'
import { nulls, readStripeEvent } from './delivery.ts'

const customerOf = (object: Fields): string | undefined => {
  if (object['object'] === 'customer') return text(object['id'])
  const { customer } = object
  return text(customer) ?? (isJsonObject(customer) ? text(customer['id']) : undefined)
}

const userOf = (object: Fields, key: string): string | undefined => {
  const { metadata } = object
  return (isJsonObject(metadata) ? text(metadata[key]) : undefined) ?? text(object['client_reference_id'])
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

/**
 * Converts a Stripe event to a track event of its type, with the object as its properties and the other fields of the
 * envelope in `context.stripe`. The event's ID is the message ID, so that repeated deliveries count once. The user ID
 * comes from the metadata or the checkout's client reference; otherwise the customer is an anonymous ID. A new or
 * changed customer is also an identify call.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const event = readStripeEvent(call, settings)
  if ('refusal' in event) return event
  const { type, id, object, timestamp } = event
  const userId = userOf(object, text(settings['user_id_key']) ?? 'user_id')
  const common = {
    anonymousId: customerOf(object) ?? event.account ?? 'stripe',
    ...(userId === undefined ? {} : { userId }),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
  const context = { stripe: event.envelope, ...(event.test ? { test: true } : {}) }
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
