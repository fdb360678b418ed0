import { seeItArrive } from '../arrival.ts'

/** Source: React Native apps with @segment/analytics-react-native. */
export const reactNative = {
  slug: 'react-native',
  title: 'React Native',
  description:
    'Collect screens, events and the life cycle of React Native apps on Android and iOS with the analytics-react-native library. Events wait on the device while it is offline.',
  type: 2,
  docsUrl: 'https://github.com/segmentio/analytics-react-native',
  guide: [
    {
      title: 'Install the library',
      text: 'Then run `npx pod-install` for iOS. For Android, put `<uses-permission android:name="android.permission.ACCESS_NETWORK_STATE" />` into AndroidManifest.xml. It works with Expo builds, not with Expo Go.',
      code: 'npm install @segment/analytics-react-native @segment/sovran-react-native react-native-get-random-values @react-native-async-storage/async-storage',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: "Version 2.20.4 or newer. With useSegmentEndpoints, the library adds its paths to both URLs: `/b` for events and `/projects/…/settings` for its settings. Phones refuse plain HTTP unless the app allows it, so use HTTPS outside a simulator. From version 2.24, the library also refuses HTTP and sends to its maker's address instead. allowInsecureProxy prevents that while this server has no HTTPS.",
      code: `import { createClient } from '@segment/analytics-react-native'

export const analytics = createClient({
  writeKey: '{{writeKey}}',
  proxy: '{{origin}}/v1',
  cdnProxy: '{{origin}}/v1',
  useSegmentEndpoints: true,
  allowInsecureProxy: {{insecure}},
  trackAppLifecycleEvents: true,
})`,
      language: 'javascript',
    },
    {
      title: 'Send events',
      text: 'Inside components, you can also use `AnalyticsProvider` and `useAnalytics`.',
      code: `analytics.identify('user-123', { email: 'jane@example.com', plan: 'pro' })
analytics.screen('Checkout')
analytics.track('Order Completed', { order_id: '1001', total: 59.9 })
analytics.flush()`,
      language: 'javascript',
    },
    seeItArrive('A batch is sent after twenty events or thirty seconds, or when you flush.'),
  ],
}
