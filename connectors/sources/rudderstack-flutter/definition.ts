import { seeItArrive } from '../arrival.ts'
import { bothPlanes } from '../planes.ts'

/** Source: Flutter apps with RudderStack's SDK. */
export const rudderstackFlutter = {
  slug: 'rudderstack-flutter',
  title: 'RudderStack Flutter SDK',
  description:
    "Keep RudderStack's SDK in your Flutter app and point it at this server. Screens, events and the life cycle of the app are collected as before.",
  type: 2,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-flutter-sdk/',
  guide: [
    {
      title: 'Add the package',
      text: 'Version 3 or newer.',
      code: 'flutter pub add rudder_sdk_flutter rudder_sdk_flutter_platform_interface',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: bothPlanes,
      code: `import 'package:rudder_sdk_flutter/RudderController.dart';
import 'package:rudder_sdk_flutter_platform_interface/platform.dart';

final rudder = RudderController.instance;
final builder = RudderConfigBuilder()
  ..withDataPlaneUrl('{{origin}}')
  ..withControlPlaneUrl('{{origin}}');
rudder.initialize('{{writeKey}}', config: builder.build());`,
      language: 'dart',
    },
    {
      title: 'Send events',
      text: 'Anywhere in the app, once it is set up.',
      code: `rudder.identify('user-123', traits: RudderTraits()..putEmail('jane@example.com'));
rudder.screen('Checkout');
rudder.track('Order Completed', properties: RudderProperty()..put('order_id', '1001')..put('total', 59.9));`,
      language: 'dart',
    },
    seeItArrive('A batch is sent after thirty events or ten seconds.'),
  ],
}
