import { defineDestination } from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { adjustConversion } from './actions/adjust-conversion.ts'
import { uploadConversion } from './actions/upload-conversion.ts'
import { adsActions } from './ads-api/prepare.ts'
import { oldestMs } from './conversion.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, oauth2, settings } from './settings.ts'
import { conversions, fields, retraction } from './signals.ts'

/**
 * Limits: "Limits and quotas" of the Data Manager API: 2,000 events and 10 identifiers each in a request, 300 requests
 * a minute. The Google Ads API is used only for what the Data Manager API cannot do: calls, retractions, enhancements with
 * an address, external attribution, and the fractions of sales in stores. It accepts clicks only from developers who
 * uploaded some before June 2026 (developers.google.com/ads/blog/posts/2026/05/changes-to-offline-click-conversion).
 * Developer tokens ended on 2026-09-09 (developers.google.com/google-ads/api/docs/api-policy/developer-token).
 */
export const googleAds = defineDestination({
  slug: 'google-ads',
  title: 'Google Ads',
  description: 'Uploads click conversions and enhanced conversions to Google Ads, and adjusts them.',
  apiVersion: apiVersions.googleAds,
  docs: {
    url: 'https://developers.google.com/data-manager/api/devguides/events/google-ads/offline',
    steps: [
      {
        title: 'Create an OAuth client',
        text: 'In Google Cloud, enable the **Data Manager API** for a project, configure the consent screen, and create an OAuth client of the type **Web application**. As the redirect URI, enter the redirect URL that the destination shows. Copy the client ID and the client secret to the settings. A developer token is not needed.',
        code: 'https://www.googleapis.com/auth/datamanager',
        language: 'text',
      },
      {
        title: 'Connect an account',
        text: 'Select **Connect** and sign in with an account that can edit the Google Ads account. If its access is through a manager account, enter that one, too.',
      },
      {
        title: 'Choose the conversion action',
        text: 'In Google Ads, open **Goals, Conversions** and the conversion action: its number follows `ctId=` in the URL. For uploads it is one that imports from clicks. For enhanced conversions, accept the customer data terms first.',
      },
      {
        title: 'Count each conversion once',
        text: 'Use the order ID as the transaction ID, here and in the Google tag. Without an order ID it is the message ID. Products are sent with their `product_id`, which must be that of the Merchant Center.',
        code: "gtag('event', 'conversion', { send_to: 'AW-123/AbC', transaction_id: 'order-1001' })",
        language: 'javascript',
      },
      {
        title: 'Know what is sent of the browser',
        text: 'The IP address and the user agent help Google to match a conversion. Google Ads takes no IP addresses of people in the EEA, the United Kingdom, and Switzerland, so the IP address is sent only if the country of the person is mapped and is another one.',
      },
      {
        title: 'Refunds and corrections',
        text: 'Add a mapping with **Adjust conversion**, the same transaction ID, and the value that is left. Google matches it to the conversion by that ID. To take a conversion back as a whole, use the Google Ads API: see the next step.',
      },
      {
        title: 'Use the Google Ads API, too',
        text: 'Only these actions need it: **Upload call**, **Retract or enhance conversion**, **Upload conversion with attribution**, and **Upload store sale**. Enable the **Google Ads API** for the same project in Google Cloud, and apply for **Explorer access** there, because without it Google allows test accounts only. Google ended developer tokens in September 2026. Add the second scope below to the consent screen, turn on **Google Ads API** in the settings, and select **Connect** again. Google accepts **Upload conversion with attribution** only from projects that uploaded conversions before June 2026, and sales in stores only from accounts that it has admitted.',
        code: 'https://www.googleapis.com/auth/adwords',
        language: 'text',
      },
      {
        title: 'Know what is sent',
        text: 'Email, phone, and names are normalized and hashed with SHA-256. A phone number needs its country code, or the country beside it. Google takes a name only with country and postal code, which are not hashed.',
      },
      {
        title: 'Know what is filtered',
        text: 'Conversions are filtered after 90 days, those without a click ID after 63 days, and adjustments after 54 days, because Google drops them. So are events without consent. **Diagnostics** in Google Ads shows which conversions Google could match.',
      },
    ],
  },
  settings,
  check,
  category: 'Advertising',
  popular: true,
  kinds: ['Event Streams'],
  auth: 'oauth2',
  oauth2,
  objects: [
    {
      name: 'conversions',
      title: 'Conversions',
      description: 'One per event that has a mapping.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'transaction_id' }],
      actions: ['upload_conversion', 'adjust_conversion', 'upload_click', 'upload_adjustment'],
    },
    {
      name: 'calls',
      title: 'Calls',
      description: 'Conversions by the phone number of the caller.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'caller_id' }, { target: 'call_time' }],
      actions: ['upload_call'],
    },
    {
      name: 'store_sales',
      title: 'Store sales',
      description: 'Sales in stores, with the fractions of sales that are known.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ target: 'transaction_id' }],
      actions: ['upload_store_sale'],
    },
  ],
  actions: [uploadConversion, adjustConversion, ...adsActions],
  presets: [
    {
      eventName: 'Order Completed',
      eventType: 'track',
      action: 'upload_conversion',
      fields,
    },
    {
      // Off by default: it needs the Google Ads API, and the event can be a refund of a part.
      enabled: false,
      eventName: 'Order Refunded',
      eventType: 'track',
      action: 'upload_adjustment',
      since: 2,
      fields: retraction,
    },
  ],
  conversions,
  batching: () => ({ maxEvents: 1000, maxBytes: 2 * 1024 * 1024, maxWaitMs: 5000 }),
  rate: () => ({ requests: 200, perMs: 60_000 }),
  concurrency: 2,
  maxEventAgeMs: oldestMs.click,
  testConnection,
  deliver,
})
