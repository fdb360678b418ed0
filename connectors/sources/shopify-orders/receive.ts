import { fitEvent, isJsonObject, type ReceiveWebhook, readTimeText } from '@tributary/connector-kit'
import { adContext, consentContext, messageIdOf, personOf, visitorFields } from '../conversion-context.ts'
import { readShopifyDelivery, repeatedAmounts, type ShopifyDelivery } from '../shopify/delivery.ts'
import { type Fields, fieldsOf, given, idText, text } from '../values.ts'

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/**
 * Returns an amount as a number. Shopify writes amounts as texts in the currency's own unit, such as "409.94" or
 * "1500".
 */
const amountOf = (value: unknown): number | undefined => {
  const amount = idText(value)
  return amount !== undefined && /^-?\d+(\.\d+)?$/.test(amount) ? Number(amount) : undefined
}

const shopMoney = (set: unknown): number | undefined => amountOf(fieldsOf(fieldsOf(set)['shop_money'])['amount'])

const productsOf = (items: unknown): Fields[] =>
  listOf(items).map((item) =>
    given({
      product_id: idText(item['product_id']) ?? idText(item['variant_id']) ?? idText(item['id']),
      variant: text(item['variant_title']),
      sku: text(item['sku']),
      name: text(item['title']) ?? text(item['name']),
      brand: text(item['vendor']),
      price: amountOf(item['price']),
      quantity: amountOf(item['quantity']),
    }),
  )

/** Returns the attributes of the cart by name, in which a shop's theme can pass on data of the tag. */
const attributesOf = (body: Fields): Fields =>
  Object.fromEntries(listOf(body['note_attributes']).flatMap(({ name, value }) => (text(name) ? [[name, value]] : [])))

const landingPage = (body: Fields, shop: string | undefined): URL | undefined => {
  const landing = text(body['landing_site'])
  return landing === undefined ? undefined : (URL.parse(landing, `https://${shop ?? 'shop.invalid'}`) ?? undefined)
}

const contextOf = (body: Fields, { envelope, shop, test }: ShopifyDelivery): Fields => {
  const client = fieldsOf(body['client_details'])
  const customer = fieldsOf(body['customer'])
  const billing = fieldsOf(body['billing_address'] ?? body['shipping_address'] ?? customer['default_address'])
  const page = landingPage(body, shop)
  return given({
    shopify: envelope,
    traits: personOf({
      email: text(body['email']) ?? text(body['contact_email']) ?? customer['email'],
      phone: text(body['phone']) ?? text(customer['phone']) ?? billing['phone'],
      firstName: text(customer['first_name']) ?? billing['first_name'],
      lastName: text(customer['last_name']) ?? billing['last_name'],
      city: billing['city'],
      state: text(billing['province_code']) ?? billing['province'],
      postalCode: billing['zip'],
      country: billing['country_code'],
    }),
    ip: text(client['browser_ip']) ?? text(body['browser_ip']),
    userAgent: text(client['user_agent']),
    locale: text(body['customer_locale']),
    page: page === undefined ? undefined : given({ url: page.href, referrer: text(body['referring_site']) }),
    ...adContext(page?.searchParams ?? new URLSearchParams()),
    ...consentContext(attributesOf(body)[visitorFields.consent]),
    ...(test ? { test: true } : {}),
  })
}

const orderProperties = (body: Fields, id: Fields): Fields =>
  given({
    ...id,
    value: amountOf(body['total_price']),
    total: amountOf(body['total_price']),
    subtotal: amountOf(body['subtotal_price']),
    shipping: shopMoney(body['total_shipping_price_set']),
    tax: amountOf(body['total_tax']),
    discount: amountOf(body['total_discounts']),
    coupon: text(listOf(body['discount_codes'])[0]?.['code']),
    currency: text(body['currency'])?.toUpperCase(),
    products: productsOf(body['line_items']),
  })

/**
 * Returns the IDs of the user who ordered: the customer and the visitor that the theme passed on, otherwise the cart.
 */
const userOf = (body: Fields, fallback: string): Fields =>
  given({
    userId: idText(fieldsOf(body['customer'])['id']),
    anonymousId:
      text(attributesOf(body)[visitorFields.anonymousId]) ??
      text(body['cart_token']) ??
      text(body['checkout_token']) ??
      fallback,
  })

const orderCompleted = (delivery: ShopifyDelivery): Fields | undefined => {
  const { body } = delivery
  const id = idText(body['id'])
  if (id === undefined) return undefined
  return {
    event: 'Order Completed',
    // The message ID depends on the order and not on the delivery. So an order counts once, whatever the number of
    // webhooks.
    messageId: messageIdOf('shopify-order', id),
    timestamp: readTimeText(body['processed_at']) ?? readTimeText(body['created_at']) ?? delivery.timestamp,
    ...userOf(body, `shopify-order-${id}`),
    properties: orderProperties(body, { order_id: id, checkout_id: text(body['checkout_token']) }),
    context: contextOf(body, delivery),
  }
}

const checkoutStarted = (delivery: ShopifyDelivery): Fields | undefined => {
  const { body } = delivery
  const token = text(body['token'])
  if (token === undefined) return undefined
  return {
    event: 'Checkout Started',
    messageId: messageIdOf('shopify-checkout', token),
    timestamp: readTimeText(body['created_at']) ?? delivery.timestamp,
    ...userOf(body, `shopify-checkout-${token}`),
    properties: orderProperties(body, { checkout_id: token }),
    context: contextOf(body, delivery),
  }
}

/**
 * Returns the event of a refund. The amount is the sum of the refund's transactions that did not fail. Without any, no
 * money was refunded, and there is no event.
 */
const orderRefunded = (delivery: ShopifyDelivery): Fields | undefined => {
  const { body } = delivery
  const [id, order] = [idText(body['id']), idText(body['order_id'])]
  const paid = listOf(body['transactions']).filter(
    ({ kind, status }) => kind === 'refund' && status !== 'failure' && status !== 'error',
  )
  if (id === undefined || order === undefined || paid.length === 0) return undefined
  const value = paid.reduce((sum, { amount }) => sum + (amountOf(amount) ?? 0), 0)
  const items = listOf(body['refund_line_items'])
  return {
    event: 'Order Refunded',
    messageId: messageIdOf('shopify-refund', id),
    timestamp: readTimeText(body['processed_at']) ?? readTimeText(body['created_at']) ?? delivery.timestamp,
    // A refund names no customer, so the ID of the order connects the refund and the order.
    anonymousId: `shopify-order-${order}`,
    properties: given({
      order_id: order,
      refund_id: id,
      // Rounds, because sums of decimal fractions are not exact; no currency has more than four decimals.
      value: Number(value.toFixed(4)),
      currency: text(paid[0]?.['currency'])?.toUpperCase(),
      reason: text(body['note']),
      products: items.flatMap(({ line_item: item, quantity }) => productsOf([{ ...fieldsOf(item), quantity }])),
    }),
    context: { shopify: delivery.envelope, ...(delivery.test ? { test: true } : {}) },
  }
}

/**
 * Converts orders, refunds and checkouts of Shopify to events of the commerce schema. The settings choose between
 * `orders/create` and `orders/paid`; topics without a conversion are accepted and not stored. Message IDs depend only
 * on the subject of the event, so that repeated deliveries count once.
 */
export const receive: ReceiveWebhook = (call, settings) => {
  const delivery = readShopifyDelivery(call, settings)
  if ('refusal' in delivery) return delivery
  const makers: Readonly<Record<string, (delivery: ShopifyDelivery) => Fields | undefined>> = {
    [settings['order_topic'] === 'orders/paid' ? 'orders/paid' : 'orders/create']: orderCompleted,
    'refunds/create': orderRefunded,
    'checkouts/create': checkoutStarted,
  }
  const make = Object.hasOwn(makers, delivery.topic) ? makers[delivery.topic] : undefined
  if (make === undefined) return { events: [] }
  const event = make(delivery)
  if (event === undefined)
    return delivery.topic === 'refunds/create' && idText(delivery.body['id']) !== undefined
      ? { events: [] }
      : {
          refusal: {
            code: 400,
            reason: 'NOT_A_SHOPIFY_WEBHOOK',
            message: `The body is not what Shopify sends for ${delivery.topic.slice(0, 100)}: its ID is missing.`,
          },
        }
  return { events: [fitEvent(given({ type: 'track', ...event }), repeatedAmounts)] }
}
