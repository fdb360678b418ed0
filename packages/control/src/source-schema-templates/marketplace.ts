import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const listing: TemplateObject = {
  listing_id: ['string', 'required', 'Id of the listing.'],
  seller_id: ['string', 'required', 'Whose listing.'],
  title: ['string', 'recommended', 'Title of the listing.'],
  category: ['string', 'recommended', 'Category.'],
  price: ['number', 'recommended', 'Price that is asked.'],
  currency: ['string', 'recommended', 'Currency of the price, ISO 4217.'],
  condition: ['string', 'optional', 'new, used or refurbished.'],
  location: ['string', 'optional', 'Where it is.'],
}

const order: TemplateObject = {
  order_id: ['string', 'required', 'Id of the order.'],
  seller_id: ['string', 'recommended', 'Who sells.'],
  total: ['number', 'required', 'What the buyer pays.'],
  commission: ['number', 'recommended', 'What the marketplace keeps.'],
  currency: ['string', 'required', 'Currency of the amounts, ISO 4217.'],
  products: [
    'array',
    'required',
    'Listings that are bought.',
    {
      product_id: ['string', 'required', 'Id of the listing.'],
      name: ['string', 'recommended', 'Title of the listing.'],
      price: ['number', 'required', 'Price of one.'],
      quantity: ['number', 'recommended', 'How many.'],
      category: ['string', 'optional', 'Category.'],
    },
  ],
}

const offer: TemplateObject = {
  offer_id: ['string', 'required', 'Id of the offer.'],
  listing_id: ['string', 'required', 'Id of the listing.'],
  amount: ['number', 'required', 'What is offered.'],
  currency: ['string', 'required', 'Currency of the amount, ISO 4217.'],
}

export const marketplace: Template = {
  slug: 'marketplace',
  title: 'Marketplace',
  description: 'Buyers and sellers: listings, offers, messages, orders, payouts and reviews.',
  user: {
    ...personTraits,
    is_buyer: ['boolean', 'recommended', 'Whether the person has bought.'],
    is_seller: ['boolean', 'recommended', 'Whether the person has sold.'],
    rating: ['number', 'optional', 'Mean of the reviews, from 1 to 5.'],
    verified: ['boolean', 'optional', 'Whether the identity was checked.'],
  },
  events: {
    ...accountEvents,
    'Listings Searched': {
      query: ['string', 'required', 'What was searched for.'],
      category: ['string', 'optional', 'Category that was chosen.'],
      location: ['string', 'optional', 'Place that was chosen.'],
      result_count: ['number', 'recommended', 'How many were found.'],
    },
    'Listing Viewed': listing,
    'Listing Saved': listing,
    'Listing Shared': { ...listing, share_via: ['string', 'recommended', 'Channel, such as email or whatsapp.'] },
    'Listing Started': {
      listing_id: ['string', 'recommended', 'Id of the listing to be.'],
      category: ['string', 'optional', 'Category.'],
    },
    'Listing Published': { ...listing, photo_count: ['number', 'optional', 'Number of pictures.'] },
    'Listing Updated': listing,
    'Listing Removed': { ...listing, reason: ['string', 'recommended', 'sold, expired, withdrawn or refused.'] },
    'Message Sent': {
      conversation_id: ['string', 'required', 'Id of the conversation.'],
      listing_id: ['string', 'recommended', 'Listing that it is about.'],
      sender_role: ['string', 'recommended', 'buyer or seller.'],
    },
    'Offer Made': offer,
    'Offer Accepted': offer,
    'Offer Declined': { ...offer, reason: ['string', 'optional', 'Why.'] },
    'Checkout Started': order,
    'Order Completed': order,
    'Order Shipped': {
      order_id: ['string', 'required', 'Id of the order.'],
      carrier: ['string', 'recommended', 'Who carries it.'],
    },
    'Order Delivered': { order_id: ['string', 'required', 'Id of the order.'] },
    'Order Refunded': { ...order, reason: ['string', 'recommended', 'Why.'] },
    'Dispute Opened': {
      dispute_id: ['string', 'required', 'Id of the dispute.'],
      order_id: ['string', 'required', 'Id of the order.'],
      reason: ['string', 'recommended', 'What it is about.'],
    },
    'Payout Sent': {
      payout_id: ['string', 'required', 'Id of the payout.'],
      seller_id: ['string', 'required', 'Who is paid.'],
      amount: ['number', 'required', 'Sum that is paid.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
    },
    'Review Submitted': {
      order_id: ['string', 'required', 'Id of the order.'],
      reviewed_user_id: ['string', 'recommended', 'Whom it is about.'],
      rating: ['number', 'required', 'Stars, from 1 to 5.'],
      review_body: ['string', 'optional', 'What was written.'],
    },
  },
}
