import { seeItArrive } from '../arrival.ts'
import { bothPlanes } from '../planes.ts'

/** Source: React Native apps with RudderStack's SDK. */
export const rudderstackReactNative = {
  slug: 'rudderstack-react-native',
  title: 'RudderStack React Native SDK',
  description:
    "Keep RudderStack's SDK in your React Native app and point it at this server. Screens, events and the life cycle of the app are collected as before.",
  type: 2,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-react-native-sdk/',
  guide: [
    {
      title: 'Install the SDK',
      text: 'Then run `npx pod-install` for iOS.',
      code: 'npm install @rudderstack/rudder-sdk-react-native',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: bothPlanes,
      code: `import rudderClient from '@rudderstack/rudder-sdk-react-native'

await rudderClient.setup('{{writeKey}}', {
  dataPlaneUrl: '{{origin}}',
  controlPlaneUrl: '{{origin}}',
  trackAppLifecycleEvents: true,
})`,
      language: 'javascript',
    },
    {
      title: 'Send events',
      text: 'Anywhere in the app, once it is set up.',
      code: `rudderClient.identify('user-123', { email: 'jane@example.com', plan: 'pro' })
rudderClient.screen('Checkout')
rudderClient.track('Order Completed', { order_id: '1001', total: 59.9 })
rudderClient.flush()`,
      language: 'javascript',
    },
    seeItArrive('A batch is sent after thirty events or ten seconds, or when you flush.'),
  ],
}
