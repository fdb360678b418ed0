import type { TemplateObject } from './template.ts'

/** A product in a list, basket or order. */
export const lineItem: TemplateObject = {
  product_id: ['string', 'required', 'Id in the catalogue.'],
  sku: ['string', 'recommended', 'Stock keeping unit.'],
  name: ['string', 'recommended', 'Name as shown.'],
  price: ['number', 'recommended', 'Price of one, in the currency of the event.'],
  quantity: ['number', 'recommended', 'How many.'],
  category: ['string', 'optional', 'Category in the catalogue.'],
  brand: ['string', 'optional', 'Brand.'],
  variant: ['string', 'optional', 'Variant, such as a colour or size.'],
  coupon: ['string', 'optional', 'Coupon that was used for it.'],
  position: ['number', 'optional', 'Place in the list, from 1.'],
  url: ['string', 'optional', 'Address of its page.'],
  image_url: ['string', 'optional', 'Address of its picture.'],
}

/** A product that an event is about. */
export const product: TemplateObject = {
  ...lineItem,
  currency: ['string', 'recommended', 'Currency of the price, ISO 4217.'],
  value: ['number', 'optional', 'Price times quantity.'],
}

/** The amounts of an order. */
export const orderTotals: TemplateObject = {
  affiliation: ['string', 'optional', 'Shop or partner that it came from.'],
  subtotal: ['number', 'recommended', 'Products after discounts, without tax and shipping.'],
  total: ['number', 'recommended', 'What is paid: products, tax and shipping after discounts.'],
  revenue: ['number', 'recommended', 'Products without discounts, tax and shipping.'],
  shipping: ['number', 'optional', 'Cost of shipping.'],
  tax: ['number', 'optional', 'Tax.'],
  discount: ['number', 'optional', 'Sum of all discounts.'],
  coupon: ['string', 'optional', 'Coupon that was used.'],
  currency: ['string', 'required', 'Currency of the amounts, ISO 4217.'],
}
