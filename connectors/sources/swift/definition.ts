import { needsHttps, seeItArrive } from '../arrival.ts'
import { swiftEvents } from '../code-steps.ts'

/** Source: apps for Apple's devices with analytics-swift. */
export const swift = {
  slug: 'swift',
  title: 'iOS (Swift)',
  description:
    'Collect screens, events and the life cycle of apps for iPhone, iPad, Mac, Apple TV and Watch with the analytics-swift library. Events wait on the device while it is offline.',
  type: 2,
  docsUrl: 'https://github.com/segmentio/analytics-swift',
  guide: [
    {
      title: 'Add the package',
      text: 'In Xcode choose File, Add Package Dependencies, and enter `https://github.com/segmentio/analytics-swift`; or name it in your Package.swift. iOS 13 or newer.',
      code: '.package(url: "https://github.com/segmentio/analytics-swift.git", from: "1.9.0")',
      language: 'swift',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Both hosts end in \`/v1\`: one receives events, the other serves the library's settings. \`enable = false\` turns off the telemetry that the library sends to its maker.`,
      code: `import Segment
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    static private(set) var analytics: Analytics!

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Telemetry.shared.enable = false
        Self.analytics = Analytics(configuration: Configuration(writeKey: "{{writeKey}}")
            .apiHost("{{host}}/v1")
            .cdnHost("{{host}}/v1")
            .setTrackedApplicationLifecycleEvents(.all)
            .flushAt(20)
            .flushInterval(30))
        return true
    }
}`,
      language: 'swift',
    },
    swiftEvents('title'),
    seeItArrive('A batch is sent after twenty events or thirty seconds, or when you flush.'),
  ],
}
