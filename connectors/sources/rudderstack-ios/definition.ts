import { seeItArrive } from '../arrival.ts'
import { swiftEvents } from '../code-steps.ts'
import { bothPlanes } from '../planes.ts'

/** Source: apps for Apple's devices with RudderStack's SDK. */
export const rudderstackIos = {
  slug: 'rudderstack-ios',
  title: 'RudderStack iOS SDK (Swift)',
  description:
    "Keep RudderStack's SDK in your apps for iPhone, iPad, Mac, Apple TV and Watch and point it at this server. Screens, events and the life cycle of the app are collected as before.",
  type: 2,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/swift-sdk/',
  guide: [
    {
      title: 'Add the package',
      text: 'In Xcode choose File, Add Package Dependencies, and enter `https://github.com/rudderlabs/rudder-sdk-swift`; or name it in your Package.swift. iOS 15 or newer.',
      code: '.package(url: "https://github.com/rudderlabs/rudder-sdk-swift", from: "1.0.0")',
      language: 'swift',
    },
    {
      title: 'Point it at this server',
      text: bothPlanes,
      code: `import RudderStackAnalytics
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    static private(set) var analytics: Analytics!

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Self.analytics = Analytics(configuration: Configuration(
            writeKey: "{{writeKey}}",
            dataPlaneUrl: "{{origin}}",
            controlPlaneUrl: "{{origin}}"
        ))
        return true
    }
}`,
      language: 'swift',
    },
    swiftEvents('screenName'),
    seeItArrive('A batch is sent after thirty events or ten seconds, or when you flush.'),
  ],
}
