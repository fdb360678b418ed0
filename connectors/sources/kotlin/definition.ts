import { needsHttps, seeItArrive } from '../arrival.ts'
import { kotlinEvents } from '../code-steps.ts'

/** Source: Android apps with analytics-kotlin. */
export const kotlin = {
  slug: 'kotlin',
  title: 'Android (Kotlin)',
  description:
    'Collect screens, events and the life cycle of Android apps with the analytics-kotlin library. Events wait on the device while it is offline.',
  type: 2,
  docsUrl: 'https://github.com/segmentio/analytics-kotlin',
  guide: [
    {
      title: 'Add the library',
      text: 'In the Gradle file of your app. Use the latest version.',
      code: `dependencies {
    implementation("com.segment.analytics.kotlin:android:1.27.0")
}`,
      language: 'kotlin',
    },
    {
      title: 'Allow it to use the network',
      text: 'In AndroidManifest.xml.',
      code: `<uses-permission android:name="android.permission.INTERNET" />
<uses-permission android:name="android.permission.ACCESS_NETWORK_STATE" />`,
      language: 'xml',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Both hosts end in \`/v1\`: one receives events, the other serves the library's settings. \`enable = false\` turns off the telemetry that the library sends to its maker. Set the class as \`android:name\` of the application in AndroidManifest.xml.`,
      code: `import android.app.Application
import com.segment.analytics.kotlin.android.Analytics
import com.segment.analytics.kotlin.core.Analytics
import com.segment.analytics.kotlin.core.Telemetry

class MyApplication : Application() {
    companion object {
        lateinit var analytics: Analytics
    }

    override fun onCreate() {
        super.onCreate()
        Telemetry.enable = false
        analytics = Analytics("{{writeKey}}", applicationContext) {
            apiHost = "{{host}}/v1"
            cdnHost = "{{host}}/v1"
            trackApplicationLifecycleEvents = true
            flushAt = 20
            flushInterval = 30
        }
    }
}`,
      language: 'kotlin',
    },
    kotlinEvents,
    seeItArrive('A batch is sent after twenty events or thirty seconds, or when you flush.'),
  ],
}
