import { defineDestination } from '@tributary/connector-kit'
import { conversionObjects, standardPresets } from '../../wire/conversions/standard-events.ts'
import { sendConversion } from './actions/send-conversion.ts'
import { oldestMs } from './conversion.ts'
import { deliver, testConnection } from './deliver.ts'
import { check, settings } from './settings.ts'
import { conversions, fields } from './signals.ts'

/**
 * Limits: "Events API", 1,000 events per request; "Rate limits" of the API for Business, 10 requests per second for an
 * app.
 */
export const tiktokEvents = defineDestination({
  slug: 'tiktok-events',
  title: 'TikTok Events API',
  description: 'Sends conversions to TikTok from the server, for ads on TikTok.',
  docs: {
    url: 'https://business-api.tiktok.com/portal/docs?id=1771100865818625',
    steps: [
      {
        title: 'Copy the pixel ID',
        text: 'In the TikTok Ads Manager, open **Tools, Events** and choose your web data connection. Its ID is under its name.',
      },
      {
        title: 'Generate an access token',
        text: 'In the **Settings** of the connection, under **Events API**, choose **Generate access token**. Tributary stores it encrypted.',
      },
      {
        title: 'Count each conversion once',
        text: 'If the pixel sends the same conversions, give both the same event ID. By default it is the message ID. For purchases, the order ID is a good one.',
        code: "ttq.track('Purchase', { value: 25, currency: 'USD' }, { event_id: 'order-1001' })",
        language: 'javascript',
      },
      {
        title: 'Know what is sent',
        text: 'Events of the commerce schema become standard events, such as **Order Completed** a Purchase. Email, phone, external ID, names, and postal code are normalized and hashed with SHA-256. IP address, user agent, and click ID are sent as they are, because TikTok takes them only so.',
      },
      {
        title: 'Try it first',
        text: 'Enter a **test event code** in the settings: the events then show under **Test events** in the Events Manager and count nowhere. Remove the code when you are done.',
      },
      {
        title: 'Know what is filtered',
        text: 'Events older than 28 days are filtered, because TikTok attributes nothing that old. So are events without consent.',
      },
    ],
  },
  settings,
  check,
  ...conversionObjects,
  actions: [sendConversion],
  presets: standardPresets('tiktok', 'send_conversion', fields),
  conversions,
  batching: () => ({ maxEvents: 1000, maxBytes: 2 * 1024 * 1024, maxWaitMs: 1000 }),
  rate: () => ({ requests: 10, perMs: 1000 }),
  maxEventAgeMs: oldestMs,
  testConnection,
  deliver,
})
