import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const trip: TemplateObject = {
  product_type: ['string', 'required', 'flight, hotel, car, train or package.'],
  origin: ['string', 'optional', 'Where it begins; airports as IATA codes.'],
  destination: ['string', 'required', 'Where it goes; airports as IATA codes.'],
  departure_date: ['string', 'required', 'First day or check-in, ISO 8601.'],
  return_date: ['string', 'recommended', 'Last day or check-out, ISO 8601.'],
  adults: ['number', 'recommended', 'Number of adults.'],
  children: ['number', 'optional', 'Number of children.'],
  rooms: ['number', 'optional', 'Number of rooms.'],
  travel_class: ['string', 'optional', 'Class, such as economy.'],
}

const price: TemplateObject = {
  total: ['number', 'required', 'What is paid.'],
  currency: ['string', 'required', 'Currency of the amounts, ISO 4217.'],
}

const booking: TemplateObject = {
  booking_id: ['string', 'required', 'Id of the booking.'],
  ...trip,
  ...price,
  tax: ['number', 'optional', 'Tax and fees.'],
  coupon: ['string', 'optional', 'Coupon that was used.'],
  loyalty_points: ['number', 'optional', 'Points that it earns.'],
  products: [
    'array',
    'recommended',
    'Parts of the booking.',
    {
      product_id: ['string', 'required', 'Id of the flight, room or car.'],
      name: ['string', 'recommended', 'Name as shown.'],
      category: ['string', 'recommended', 'flight, hotel, car, train or extra.'],
      price: ['number', 'recommended', 'Price of one.'],
      quantity: ['number', 'optional', 'How many.'],
      supplier: ['string', 'optional', 'Airline, hotel chain or rental company.'],
    },
  ],
}

export const travel: Template = {
  slug: 'travel',
  title: 'Travel & hospitality',
  description: 'Flights, hotels and cars: searches, offers, bookings, changes and stays.',
  user: {
    ...personTraits,
    home_airport: ['string', 'optional', 'Airport that trips begin at, IATA code.'],
    loyalty_tier: ['string', 'recommended', 'Level in the loyalty programme.'],
    loyalty_points: ['number', 'optional', 'Points of the person.'],
    nationality: ['string', 'optional', 'Country of the passport, ISO 3166-1 alpha-2.'],
  },
  events: {
    ...accountEvents,
    'Trip Searched': { ...trip, result_count: ['number', 'recommended', 'How many offers were found.'] },
    'Search Results Filtered': {
      product_type: ['string', 'required', 'flight, hotel, car, train or package.'],
      filters: [
        'array',
        'required',
        'Filters in use.',
        {
          type: ['string', 'required', 'What is filtered by.'],
          value: ['string', 'required', 'The value to keep.'],
        },
      ],
    },
    'Offer Viewed': {
      offer_id: ['string', 'required', 'Id of the offer.'],
      name: ['string', 'recommended', 'Name of the hotel or connection.'],
      supplier: ['string', 'recommended', 'Airline, hotel chain or rental company.'],
      ...trip,
      price: ['number', 'recommended', 'Price as shown.'],
      currency: ['string', 'recommended', 'Currency of the price, ISO 4217.'],
      rating: ['number', 'optional', 'Mean of the reviews.'],
    },
    'Offer Saved': {
      offer_id: ['string', 'required', 'Id of the offer.'],
      name: ['string', 'recommended', 'Name of the hotel or connection.'],
    },
    'Price Alert Created': {
      ...trip,
      threshold: ['number', 'optional', 'Price below which to tell.'],
      currency: ['string', 'optional', 'Currency of the price, ISO 4217.'],
    },
    'Booking Started': { ...booking, booking_id: ['string', 'recommended', 'Id of the booking to be.'] },
    'Traveler Details Entered': {
      booking_id: ['string', 'recommended', 'Id of the booking to be.'],
      traveler_count: ['number', 'required', 'How many travel.'],
    },
    'Extra Added': {
      booking_id: ['string', 'recommended', 'Id of the booking.'],
      extra: ['string', 'required', 'What: baggage, seat, insurance, breakfast …'],
      price: ['number', 'recommended', 'Its price.'],
      currency: ['string', 'recommended', 'Currency of the price, ISO 4217.'],
    },
    'Payment Info Entered': {
      booking_id: ['string', 'recommended', 'Id of the booking to be.'],
      payment_method: ['string', 'required', 'Payment that was chosen.'],
    },
    'Booking Completed': booking,
    'Booking Changed': { ...booking, change: ['string', 'recommended', 'What was changed.'] },
    'Booking Cancelled': {
      booking_id: ['string', 'required', 'Id of the booking.'],
      reason: ['string', 'recommended', 'Why.'],
      refund: ['number', 'recommended', 'Sum that is paid back.'],
      currency: ['string', 'recommended', 'Currency of the sum, ISO 4217.'],
    },
    'Checked In': {
      booking_id: ['string', 'required', 'Id of the booking.'],
      channel: ['string', 'recommended', 'app, web or desk.'],
    },
    'Checked Out': { booking_id: ['string', 'required', 'Id of the booking.'] },
    'Stay Reviewed': {
      booking_id: ['string', 'required', 'Id of the booking.'],
      rating: ['number', 'required', 'Stars, from 1 to 5.'],
      review_body: ['string', 'optional', 'What was written.'],
    },
  },
}
