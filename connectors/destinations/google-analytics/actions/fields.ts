/*
 * Fields that are parameters under their own names. Their type is `any`, so that numbers stay numbers.
 */

const parameter = (label: string, help: string) => ({ label, help, type: 'any', kind: 'property' }) as const

/** The parameters of orders ("Recommended events"). */
export const orderParameters = {
  tax: parameter('Tax', 'The tax of the order. A number.'),
  shipping: parameter('Shipping', 'The shipping cost of the order. A number.'),
  coupon: parameter('Coupon', 'The code of a coupon for the whole order.'),
  affiliation: parameter('Affiliation', 'The store. Google takes it of products, so each product gets it, too.'),
  payment_type: parameter('Payment type', 'How the user pays.'),
  shipping_tier: parameter('Shipping tier', 'How the order is shipped.'),
} as const

/** The parameters of lists, promotions, and other recommended events. */
export const otherParameters = {
  method: parameter('Method', 'How the user signs in, signs up, or shares.'),
  content_type: parameter('Content type', 'The type of what is shared.'),
  item_id: parameter('Item ID', 'The ID of what is shared.'),
  item_list_id: parameter('List ID', 'The ID of the list in which products are shown.'),
  item_list_name: parameter('List name', 'The name of the list in which products are shown.'),
  promotion_id: parameter('Promotion ID', 'The ID of the promotion.'),
  promotion_name: parameter('Promotion name', 'The name of the promotion.'),
  creative_name: parameter('Creative', 'The name of the creative of a promotion.'),
  creative_slot: parameter('Creative slot', 'The place of the creative of a promotion.'),
  location_id: parameter('Location ID', 'The ID of the place.'),
  group_id: parameter('Group ID', 'The group that the user joins.'),
} as const
