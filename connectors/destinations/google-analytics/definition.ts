import { defineDestination } from '@tributary/connector-kit'
import { sendEvent } from './actions/send-event.ts'
import { deliver, testConnection } from './deliver.ts'
import { oldestMs } from './event.ts'
import { presets } from './presets.ts'
import { check, settings } from './settings.ts'
import { conversions } from './signals.ts'

/**
 * Limits: "Send Measurement Protocol events", limitations: 25 events of one client and 130 kB in a request, 25 parameters, 72 hours.
 */
export const googleAnalytics = defineDestination({
  slug: 'google-analytics',
  title: 'Google Analytics 4',
  description: 'Sends events and conversions to Google Analytics from the server.',
  docs: {
    url: 'https://developers.google.com/analytics/devguides/collection/protocol/ga4/sending-events',
    steps: [
      {
        title: 'Choose the stream',
        text: 'In Google Analytics, open **Admin, Data streams** and choose your stream. The measurement ID of a web stream begins with `G-`. For the stream of an app, copy the app ID in the Firebase console, under **Project settings, General, Your apps**.',
      },
      {
        title: 'Create an API secret',
        text: 'On the same page, open **Measurement Protocol API secrets** and choose **Create**. Tributary stores it encrypted.',
      },
      {
        title: 'Join the users of the tag',
        text: 'The website tag sends the client ID and the session ID of the Google tag. From elsewhere, send the client ID in the property `client_id` and the session ID in `ga_session_id`. Without a client ID, one is made from the ID of the person, and Google counts another user.',
        code: "gtag('get', 'G-A1B2C3D4E5', 'client_id', (id) => analytics.track('Order Completed', { client_id: id }))",
        language: 'javascript',
      },
      {
        title: 'Count each purchase once',
        text: 'Google Analytics counts a purchase with the same transaction ID once. It has no such ID for other events: send those from the tag or from here, not from both.',
      },
      {
        title: 'Know what is filtered',
        text: 'Events older than 72 hours are filtered, because Google Analytics drops them. Where a user did not consent, the event is sent with that consent and without email and phone. Otherwise these are normalized and hashed with SHA-256. The IP address is not sent without consent.',
      },
      {
        title: 'Know what is left out',
        text: 'Reserved names, objects, and more than 100 parameters are left out, and the delivery names them. Events that only apps send, such as `screen_view`, are refused in a web stream.',
      },
      {
        title: 'Send events of an app',
        text: 'Choose the stream of the app in the settings. Each event needs the app instance ID of the Firebase SDK, in the property `app_instance_id` or in `context.app_instance_id`. Google joins events only with installations that it knows. Screen calls become `screen_view`. Use one destination for each stream.',
      },
      {
        title: 'Check that it works',
        text: 'Google accepts every request, so Tributary checks names and limits before it sends. Look under **Realtime**, or turn on **Debug mode** and look at **DebugView**.',
      },
    ],
  },
  settings,
  check,
  category: 'Analytics',
  popular: true,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'One per event that has a mapping.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send_event'],
    },
  ],
  actions: [sendEvent],
  presets,
  conversions,
  batching: () => ({ maxEvents: 25, maxBytes: 130_000, maxWaitMs: 1000 }),
  concurrency: 10,
  maxEventAgeMs: oldestMs,
  testConnection,
  deliver,
})
