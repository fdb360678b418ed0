import { appLifecycle } from './app-lifecycle.ts'
import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const purchase: TemplateObject = {
  product_id: ['string', 'required', 'Id in the store.'],
  name: ['string', 'recommended', 'Name as shown.'],
  price: ['number', 'required', 'Price.'],
  currency: ['string', 'required', 'Currency of the price, ISO 4217.'],
  store: ['string', 'recommended', 'app_store, play_store or web.'],
}

export const mobileApp: Template = {
  slug: 'mobile-app',
  title: 'Mobile app',
  description: 'What the mobile libraries send by themselves, with onboarding, permissions, purchases and ratings.',
  user: {
    ...personTraits,
    push_enabled: ['boolean', 'recommended', 'Whether notifications are allowed.'],
    app_version: ['string', 'optional', 'Version of the app.'],
    subscription_status: ['string', 'optional', 'none, trial, active or cancelled.'],
  },
  events: {
    ...accountEvents,
    ...appLifecycle,
    'Onboarding Started': { flow: ['string', 'optional', 'Which introduction.'] },
    'Onboarding Step Completed': {
      step: ['number', 'required', 'Number of the step, from 1.'],
      step_name: ['string', 'required', 'Name of the step.'],
    },
    'Onboarding Completed': {
      skipped: ['boolean', 'recommended', 'Whether it was skipped.'],
      duration: ['number', 'optional', 'Seconds from start to end.'],
    },
    'Permission Requested': { permission: ['string', 'required', 'notifications, location, camera …'] },
    'Permission Answered': {
      permission: ['string', 'required', 'notifications, location, camera …'],
      granted: ['boolean', 'required', 'Whether it was given.'],
    },
    'Feature Used': {
      feature: ['string', 'required', 'Name of the feature.'],
      screen: ['string', 'recommended', 'Screen it was used on.'],
    },
    'Content Searched': {
      query: ['string', 'required', 'What was searched for.'],
      result_count: ['number', 'optional', 'How many were found.'],
    },
    'Content Shared': {
      content_id: ['string', 'required', 'What was shared.'],
      share_via: ['string', 'recommended', 'Channel, such as email or whatsapp.'],
    },
    'Paywall Viewed': {
      paywall_id: ['string', 'recommended', 'Which paywall.'],
      placement: ['string', 'recommended', 'Where in the app.'],
    },
    'In-App Purchase Started': purchase,
    'In-App Purchase Completed': {
      ...purchase,
      transaction_id: ['string', 'required', "The store's id of the purchase."],
    },
    'Subscription Started': {
      ...purchase,
      billing_period: ['string', 'recommended', 'week, month or year.'],
      trial: ['boolean', 'recommended', 'Whether it begins with a trial.'],
    },
    'Subscription Cancelled': {
      product_id: ['string', 'required', 'Id in the store.'],
      reason: ['string', 'optional', 'Why, as told.'],
    },
    'App Rated': {
      rating: ['number', 'required', 'Stars, from 1 to 5.'],
      comment: ['string', 'optional', 'What was written.'],
    },
  },
}
