import { needsHttps, seeItArrive } from '../arrival.ts'

/** Source: Flutter apps with segment_analytics. */
export const flutter = {
  slug: 'flutter',
  title: 'Flutter',
  description:
    'Collect screens, events and the life cycle of Flutter apps on Android, iOS, macOS and the web with the segment_analytics package.',
  type: 2,
  docsUrl: 'https://github.com/segmentio/analytics_flutter',
  guide: [
    {
      title: 'Add the package',
      text: 'For Android, also put `<uses-permission android:name="android.permission.ACCESS_NETWORK_STATE" />` into AndroidManifest.xml.',
      code: 'flutter pub add segment_analytics',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Both hosts end in \`/v1\`: one receives events, the other serves the package's settings.`,
      code: `import 'package:segment_analytics/client.dart';
import 'package:segment_analytics/state.dart';

final analytics = createClient(Configuration(
  '{{writeKey}}',
  apiHost: '{{host}}/v1',
  cdnHost: '{{host}}/v1',
  trackApplicationLifecycleEvents: true,
));`,
      language: 'dart',
    },
    {
      title: 'Send events',
      text: 'Keep the client in the state of your app.',
      code: `import 'package:segment_analytics/event.dart';

await analytics.identify(userId: 'user-123', userTraits: UserTraits(email: 'jane@example.com'));
await analytics.screen('Checkout');
await analytics.track('Order Completed', properties: {'order_id': '1001', 'total': 59.9});
await analytics.flush();`,
      language: 'dart',
    },
    seeItArrive('A batch is sent within twenty seconds, or when you flush.'),
  ],
}
