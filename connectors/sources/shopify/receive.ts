import { fitEvent, isJsonObject, type ReceiveWebhook } from '@tributary/connector-kit'
import { type Fields, idText, text } from '../values.ts'
import { readShopifyDelivery, repeatedAmounts } from './delivery.ts'

const isCustomer = (topic: string): boolean => /^customers\/(create|update|enable|disable|delete)$/.test(topic)

/**
 * Returns the ID of the customer that a body is about: the body's own ID, or the customer of an order, a checkout or a
 * draft.
 */
const customerOf = (topic: string, body: Fields): string | undefined => {
  if (isCustomer(topic)) return idText(body['id'])
  const { customer } = body
  return (isJsonObject(customer) ? idText(customer['id']) : undefined) ?? idText(body['customer_id'])
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

/**
 * Converts a Shopify webhook to a track event of its topic, with the body as its properties and the headers in
 * `context.shopify`. The webhook's ID is the message ID, so that repeated deliveries count once. The customer is the
 * user; without one, the cart, checkout or shop is an anonymous ID. A new or changed customer is also an identify call.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const delivery = readShopifyDelivery(call, settings)
  if ('refusal' in delivery) return delivery
  const { topic, body, id, timestamp, shop, envelope } = delivery
  const userId = customerOf(topic, body)
  const anonymousId = text(body['cart_token']) ?? text(body['checkout_token']) ?? shop ?? 'shopify'
  const common = {
    ...(userId === undefined ? { anonymousId } : { userId }),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
  const test = delivery.test ? { test: true } : {}
  const track = fitEvent(
    {
      type: 'track',
      event: topic,
      messageId: id,
      ...common,
      properties: body,
      context: { shopify: envelope, ...test },
    },
    repeatedAmounts,
  )
  if (topic !== 'customers/create' && topic !== 'customers/update') return { events: [track] }
  const identify = { type: 'identify', messageId: `${id}-identify`, ...common, traits: traitsOf(body), context: test }
  return { events: [identify, track] }
}
