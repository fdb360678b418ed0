import { type ObjectOutline, outlineSchema } from '@tributary/connector-kit'

const product: ObjectOutline = {
  string: 'product_id sku name category brand variant coupon currency url image_url cart_id',
  number: 'price quantity position value',
  required: 'product_id',
}

const order: ObjectOutline = {
  string: 'order_id checkout_id payment_intent affiliation coupon currency',
  number: 'value total revenue subtotal shipping tax discount',
  array: 'products',
  required: 'order_id currency',
}

const refund: ObjectOutline = {
  string: 'order_id refund_id payment_intent reason currency',
  number: 'value total revenue subtotal shipping tax discount',
  array: 'products',
  required: 'order_id',
}

const checkout: ObjectOutline = {
  string: 'checkout_id order_id payment_method shipping_method coupon currency',
  number: 'step value total revenue subtotal shipping tax discount',
  array: 'products',
}

const lead: ObjectOutline = {
  string: 'form_id form_name lead_id lead_source currency',
  number: 'value score',
  object: 'fields hidden',
}

/** The properties of a subscription or a trial. */
const subscription: ObjectOutline = { string: 'subscription_id plan currency', number: 'value trial_days' }

/**
 * The schema of new sources of signals: the events of the commerce schema that are conversions, as
 * `docs/conversions.md` lists them, and the events of leads. A property is required only if the event is useless
 * without it.
 */
export const conversionSchema = outlineSchema(
  [
    [['Order Completed'], order],
    [['Order Refunded'], refund],
    [['Product Viewed', 'Product Added', 'Product Added to Wishlist'], product],
    [['Products Searched'], { string: 'query category', number: 'result_count', required: 'query' }],
    [['Checkout Started', 'Payment Info Entered'], checkout],
    [['Signed Up'], { string: 'method plan referral_code currency', number: 'value' }],
    [['Lead Created', 'Contact Form Submitted'], lead],
    [['Subscription Created', 'Trial Started'], subscription],
  ],
  {
    string: 'email phone first_name last_name firstName lastName name city country locale created_at',
    object: 'address',
  },
)
