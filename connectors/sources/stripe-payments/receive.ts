import { fitEvent, type ReceiveWebhook } from '@tributary/connector-kit'
import {
  adContext,
  consentContext,
  messageIdOf,
  namesOf,
  paramsOf,
  personOf,
  textsOf,
  visitorFields,
} from '../conversion-context.ts'
import { nulls, readStripeEvent, type StripeEvent } from '../stripe/delivery.ts'
import { type Fields, fieldsOf, given, idText, text } from '../values.ts'
import { majorUnits } from './amounts.ts'

/** Returns the ID of an object, which can be the ID itself or the expanded object. */
const idOf = (value: unknown): string | undefined => text(value) ?? text(fieldsOf(value)['id'])

/**
 * Returns the ID of an order, also for its refund: `order_id` of the metadata, otherwise the payment. A checkout
 * without a payment, such as a subscription, uses its own ID.
 */
const orderOf = (object: Fields): string | undefined =>
  text(fieldsOf(object['metadata'])['order_id']) ??
  (object['object'] === 'payment_intent' ? text(object['id']) : idOf(object['payment_intent'])) ??
  idOf(object['subscription']) ??
  text(object['id'])

const userOf = (object: Fields, event: StripeEvent, key: string, fallback: string): Fields => {
  const metadata = fieldsOf(object['metadata'])
  return given({
    userId: text(metadata[key]) ?? text(object['client_reference_id']),
    anonymousId: text(metadata[visitorFields.anonymousId]) ?? idOf(object['customer']) ?? event.account ?? fallback,
  })
}

const contextOf = (object: Fields, { envelope, test }: StripeEvent): Fields => {
  const details = fieldsOf(object['customer_details'] ?? object['billing_details'] ?? object['shipping'])
  const address = fieldsOf(details['address'])
  const metadata = textsOf(object['metadata'])
  return given({
    stripe: envelope,
    traits: personOf({
      email: text(details['email']) ?? text(object['customer_email']) ?? object['receipt_email'],
      phone: details['phone'],
      ...namesOf(details['name']),
      city: address['city'],
      state: address['state'],
      postalCode: address['postal_code'],
      country: address['country'],
    }),
    ...adContext(paramsOf(metadata)),
    ...consentContext(metadata[visitorFields.consent]),
    ...(test ? { test: true } : {}),
  })
}

type Maker = (event: StripeEvent, key: string) => Fields | undefined

const completed = (event: StripeEvent, key: string, amount: unknown): Fields => {
  const { object } = event
  const id = orderOf(object) ?? event.id
  const currency = text(object['currency'])?.toUpperCase()
  const details = fieldsOf(object['total_details'])
  const total = majorUnits(amount, currency)
  return {
    event: 'Order Completed',
    messageId: messageIdOf('stripe-order', id),
    timestamp: event.timestamp,
    ...userOf(object, event, key, `stripe-order-${id}`),
    properties: given({
      order_id: id,
      checkout_id: object['object'] === 'checkout.session' ? text(object['id']) : undefined,
      payment_intent: object['object'] === 'payment_intent' ? text(object['id']) : idOf(object['payment_intent']),
      value: total,
      total,
      subtotal: majorUnits(object['amount_subtotal'], currency),
      shipping: majorUnits(details['amount_shipping'], currency),
      tax: majorUnits(details['amount_tax'], currency),
      discount: majorUnits(details['amount_discount'], currency),
      currency,
    }),
    context: contextOf(object, event),
  }
}

/**
 * Returns the event of a paid checkout. A checkout with a pending payment, such as a bank transfer, does not count yet,
 * because `async_payment_succeeded` follows.
 */
const paidCheckout: Maker = (event, key) =>
  event.object['payment_status'] === 'unpaid' || event.object['mode'] === 'setup'
    ? undefined
    : completed(event, key, event.object['amount_total'])

/**
 * Returns the event of a refund. `amount_refunded` is the sum of all refunds of a charge, so its increase is the amount
 * of this refund.
 */
const refunded: Maker = (event, key) => {
  const { object, envelope } = event
  const currency = text(object['currency'])?.toUpperCase()
  const before = fieldsOf(envelope['previous_attributes'])['amount_refunded']
  const now = object['amount_refunded']
  const added = typeof now === 'number' ? now - (typeof before === 'number' ? before : 0) : undefined
  if (added === undefined || added <= 0) return undefined
  const id = orderOf(object) ?? event.id
  return {
    event: 'Order Refunded',
    messageId: event.id,
    timestamp: event.timestamp,
    ...userOf(object, event, key, `stripe-order-${id}`),
    properties: given({
      order_id: id,
      refund_id: idText(object['id']),
      payment_intent: idOf(object['payment_intent']),
      value: majorUnits(added, currency),
      currency,
    }),
    context: contextOf(object, event),
  }
}

/**
 * Converts payments and refunds of Stripe to events of the commerce schema, with amounts in the unit of their currency.
 * The settings choose whether a payment counts by its checkout or by the payment itself. Other events are accepted and
 * not stored.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const event = readStripeEvent(call, settings)
  if ('refusal' in event) return event
  const makers: Readonly<Record<string, Maker>> = {
    'charge.refunded': refunded,
    ...(settings['order_event'] === 'payment_intent'
      ? { 'payment_intent.succeeded': (paid, key) => completed(paid, key, paid.object['amount_received']) }
      : { 'checkout.session.completed': paidCheckout, 'checkout.session.async_payment_succeeded': paidCheckout }),
  }
  const make = Object.hasOwn(makers, event.type) ? makers[event.type] : undefined
  const made = make?.(event, text(settings['user_id_key']) ?? 'user_id')
  return { events: made === undefined ? [] : [fitEvent(given({ type: 'track', ...made }), nulls)] }
}
