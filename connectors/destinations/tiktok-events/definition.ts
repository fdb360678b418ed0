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
 * Limits: "Events API", 1,000 events per request; "Rate limits" of the API for Business, 10 requests per second for an
 * app.
 */
export const tiktokEvents = defineDestination({
  slug: 'tiktok-events',
  title: 'TikTok Events API',
  description: 'Sends conversions to TikTok from the server, for ads on TikTok.',
  apiVersion: apiVersions.tiktok,
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
        text: 'Events of the commerce schema become standard events, such as **Order Completed** a Purchase, and page calls become Pageview. Email, phone, external ID, names, and postal code are normalized and hashed with SHA-256. IP address, user agent, click ID, city, state, and country are not hashed, because TikTok takes them only so.',
      },
      {
        title: 'Send sales in stores and leads of a CRM',
        text: 'TikTok has an event set of its own for stores and one for a CRM. Enter their IDs in the settings, and map the event source `offline` or `crm`. For a CRM, map the TikTok lead ID, too.',
      },
      {
        title: 'Send events of an app',
        text: 'Enter the **TikTok app ID** in the settings, and map the event source `app`. Each event needs the ID of the app, which the presets read from `context.app.namespace`. The advertising ID is hashed. **Application Installed**, **Application Opened**, and **Signed In** are events of apps by the presets if they have that ID, and are filtered without the TikTok app ID.',
      },
      {
        title: 'Send travel and vehicles',
        text: 'Map an object to **Travel** or **Vehicle**, such as `properties`. Its members keep TikTok’s names, such as `checkin_date` or `body_style`. Other members are not sent.',
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
  presets,
  conversions,
  batching: () => ({ maxEvents: 1000, maxBytes: 2 * 1024 * 1024, maxWaitMs: 1000 }),
  rate: () => ({ requests: 10, perMs: 1000 }),
  maxEventAgeMs: oldestMs,
  testConnection,
  deliver,
})
