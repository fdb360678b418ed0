import { defineDestination } from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { conversionObjects } from '../../wire/conversions/standard-events.ts'
import { sendConversion } from './actions/send-conversion.ts'
import { oldestMs } from './conversion.ts'
import { deliver, testConnection } from './deliver.ts'
import { presets } from './presets.ts'
import { check, settings } from './settings.ts'
import { conversions } from './signals.ts'

/**
 * Limits: "Using the API": 1,000 events in a request, at most 7 days old, 62 days for physical stores. The rate is our
 * own choice: "there is no specific rate limit for the Conversions API" ("Rate Limits").
 */
export const metaConversions = defineDestination({
  slug: 'meta-conversions',
  title: 'Meta Conversions API',
  description: 'Sends conversions to Meta from the server, for ads on Facebook and Instagram.',
  apiVersion: apiVersions.meta,
  docs: {
    url: 'https://developers.facebook.com/docs/marketing-api/conversions-api/using-the-api',
    steps: [
      {
        title: 'Copy the pixel ID',
        text: 'In the **Events Manager** of Meta, choose your pixel or dataset. Its ID is under **Settings**.',
      },
      {
        title: 'Generate an access token',
        text: 'On the same page, under **Conversions API**, choose **Generate access token**. Tributary stores it encrypted.',
      },
      {
        title: 'Count each conversion once',
        text: 'If the pixel sends the same conversions, give both the same event ID: pass it to the pixel as `eventID`, and map it here. By default it is the message ID. For purchases, the order ID is a good one.',
        code: "fbq('track', 'Purchase', { value: 25, currency: 'USD' }, { eventID: 'order-1001' })",
        language: 'javascript',
      },
      {
        title: 'Know what is sent',
        text: 'Events of the commerce schema become standard events, such as **Order Completed** a Purchase, and page calls become PageView. Email, phone, names, and addresses are normalized by the rules of Meta and hashed with SHA-256. A phone number needs its country code, or the country beside it. Hashes and browser IDs of Meta’s Parameter Builder are sent unchanged. IP address, user agent, and click IDs are sent as they are, because Meta takes them only so.',
      },
      {
        title: 'Add data of your own',
        text: 'Add fields with names of your own to a mapping, or map an object to **Custom data**: both become `custom_data`. Personal data in it is left out, because Meta takes it only hashed and in fields of its own.',
      },
      {
        title: 'Send events of an app',
        text: 'Map the action source `app`. Meta then needs **Tracking allowed**, **System**, and **System version**. The presets read them from `context.device` and `context.os`, as mobile libraries send them.',
      },
      {
        title: 'Try it first',
        text: 'Enter a **test event code** in the settings: the events then show under **Test events** in the Events Manager and count nowhere. Remove the code when you are done.',
      },
      {
        title: 'Know what is filtered',
        text: 'Meta refuses a whole request for one event older than 7 days, so those are filtered with that reason. So are events without consent.',
      },
    ],
  },
  settings,
  check,
  ...conversionObjects,
  actions: [sendConversion],
  presets,
  conversions,
  batching: () => ({ maxEvents: 1000, maxBytes: 2 * 1024 * 1024, maxWaitMs: 1000 }),
  rate: () => ({ requests: 20, perMs: 1000 }),
  maxEventAgeMs: oldestMs.store,
  testConnection,
  deliver,
})
