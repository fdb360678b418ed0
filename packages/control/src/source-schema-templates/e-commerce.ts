import { accountEvents, personTraits } from './people.ts'
import { lineItem, orderTotals, product } from './products.ts'
import type { Template, TemplateObject } from './template.ts'

const cart: TemplateObject = {
  cart_id: ['string', 'recommended', 'Id of the cart.'],
}

const promotion: TemplateObject = {
  promotion_id: ['string', 'required', 'Id of the promotion.'],
  name: ['string', 'recommended', 'Name of the promotion.'],
  creative: ['string', 'optional', 'Which picture or text was shown.'],
  position: ['string', 'optional', 'Where on the page.'],
}

const checkoutStep: TemplateObject = {
  checkout_id: ['string', 'recommended', 'Id of the checkout.'],
  step: ['number', 'required', 'Number of the step, from 1.'],
  shipping_method: ['string', 'optional', 'Shipping that was chosen.'],
  payment_method: ['string', 'optional', 'Payment that was chosen.'],
}

const coupon: TemplateObject = {
  coupon_id: ['string', 'required', 'The coupon.'],
  coupon_name: ['string', 'optional', 'Name of the coupon.'],
  order_id: ['string', 'optional', 'Id of the order.'],
  cart_id: ['string', 'optional', 'Id of the cart.'],
}

const wishlist: TemplateObject = {
  wishlist_id: ['string', 'recommended', 'Id of the wish list.'],
  wishlist_name: ['string', 'optional', 'Name of the wish list.'],
}

const sharing: TemplateObject = {
  share_via: ['string', 'recommended', 'Channel, such as email or whatsapp.'],
  share_message: ['string', 'optional', 'What was written.'],
}

export const eCommerce: Template = {
  slug: 'e-commerce',
  title: 'E-commerce',
  description: 'An online shop: browsing, cart, checkout, orders, coupons, wish lists and reviews.',
  user: {
    ...personTraits,
    birthday: ['string', 'optional', 'Date of birth, ISO 8601.'],
    address: ['object', 'optional', 'Street, city, postal_code, state and country.'],
    total_spent: ['number', 'optional', 'Sum of all orders.'],
    order_count: ['number', 'optional', 'Number of orders.'],
    loyalty_tier: ['string', 'optional', 'Level in the loyalty programme.'],
    accepts_marketing: ['boolean', 'recommended', 'Whether mail with offers is welcome.'],
  },
  events: {
    ...accountEvents,
    'Products Searched': {
      query: ['string', 'required', 'What was searched for.'],
      result_count: ['number', 'optional', 'How many products were found.'],
    },
    'Product List Viewed': {
      list_id: ['string', 'recommended', 'Id of the list.'],
      category: ['string', 'recommended', 'Category of the list.'],
      products: ['array', 'recommended', 'Products in the list.', lineItem],
    },
    'Product List Filtered': {
      list_id: ['string', 'recommended', 'Id of the list.'],
      category: ['string', 'optional', 'Category of the list.'],
      filters: [
        'array',
        'recommended',
        'Filters in use.',
        {
          type: ['string', 'required', 'What is filtered by.'],
          value: ['string', 'required', 'The value to keep.'],
        },
      ],
      sorts: [
        'array',
        'optional',
        'Orders in use.',
        {
          type: ['string', 'required', 'What is sorted by.'],
          value: ['string', 'required', 'asc or desc.'],
        },
      ],
      products: ['array', 'optional', 'Products that remain.', lineItem],
    },
    'Promotion Viewed': promotion,
    'Promotion Clicked': promotion,
    'Product Clicked': product,
    'Product Viewed': product,
    'Product Added': { ...cart, ...product, quantity: ['number', 'required', 'How many were added.'] },
    'Product Removed': { ...cart, ...product, quantity: ['number', 'required', 'How many were removed.'] },
    'Cart Viewed': { ...cart, products: ['array', 'required', 'Products in the cart.', lineItem] },
    'Checkout Started': {
      order_id: ['string', 'recommended', 'Id of the order to be.'],
      checkout_id: ['string', 'optional', 'Id of the checkout.'],
      value: ['number', 'recommended', 'Value of the cart.'],
      ...orderTotals,
      products: ['array', 'required', 'Products in the cart.', lineItem],
    },
    'Checkout Step Viewed': checkoutStep,
    'Checkout Step Completed': checkoutStep,
    'Payment Info Entered': {
      ...checkoutStep,
      step: ['number', 'optional', 'Number of the step, from 1.'],
      order_id: ['string', 'optional', 'Id of the order to be.'],
    },
    'Order Completed': {
      order_id: ['string', 'required', 'Id of the order.'],
      checkout_id: ['string', 'optional', 'Id of the checkout.'],
      ...orderTotals,
      total: ['number', 'required', 'What is paid: products, tax and shipping after discounts.'],
      products: ['array', 'required', 'Products that were bought.', lineItem],
    },
    'Order Updated': {
      order_id: ['string', 'required', 'Id of the order.'],
      ...orderTotals,
      products: ['array', 'recommended', 'Products in the order now.', lineItem],
    },
    'Order Refunded': {
      order_id: ['string', 'required', 'Id of the order.'],
      ...orderTotals,
      products: ['array', 'optional', 'Products that came back, for a part of the order.', lineItem],
    },
    'Order Cancelled': {
      order_id: ['string', 'required', 'Id of the order.'],
      reason: ['string', 'optional', 'Why.'],
      ...orderTotals,
      products: ['array', 'optional', 'Products that were in the order.', lineItem],
    },
    'Coupon Entered': coupon,
    'Coupon Applied': { ...coupon, discount: ['number', 'recommended', 'Sum that it takes off.'] },
    'Coupon Denied': { ...coupon, reason: ['string', 'recommended', 'Why it was not accepted.'] },
    'Coupon Removed': { ...coupon, discount: ['number', 'optional', 'Sum that it took off.'] },
    'Product Added to Wishlist': { ...wishlist, ...product },
    'Product Removed from Wishlist': { ...wishlist, ...product },
    'Wishlist Product Added to Cart': { ...wishlist, ...cart, ...product },
    'Product Shared': { ...sharing, ...product },
    'Cart Shared': {
      ...sharing,
      ...cart,
      products: [
        'array',
        'optional',
        'Products in the cart.',
        { product_id: ['string', 'required', 'Id in the catalogue.'] },
      ],
    },
    'Product Reviewed': {
      product_id: ['string', 'required', 'Id in the catalogue.'],
      review_id: ['string', 'recommended', 'Id of the review.'],
      rating: ['number', 'required', 'Stars, from 1 to 5.'],
      review_body: ['string', 'optional', 'What was written.'],
    },
  },
}
