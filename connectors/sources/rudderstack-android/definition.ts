import { seeItArrive } from '../arrival.ts'
import { kotlinEvents } from '../code-steps.ts'
import { bothPlanes } from '../planes.ts'

/** Source: Android apps with RudderStack's SDK. */
export const rudderstackAndroid = {
  slug: 'rudderstack-android',
  title: 'RudderStack Android SDK (Kotlin)',
  description:
    "Keep RudderStack's SDK in your Android app and point it at this server. Screens, events and the life cycle of the app are collected as before.",
  type: 2,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/kotlin-sdk/',
  guide: [
    {
      title: 'Add the SDK',
      text: 'In the Gradle file of your app. Use the latest version. The manifest needs the permission `android.permission.INTERNET`.',
      code: `dependencies {
    implementation("com.rudderstack.sdk.kotlin:android:1.3.2")
}`,
      language: 'kotlin',
    },
    {
      title: 'Point it at this server',
      text: `${bothPlanes} Set the class as \`android:name\` of the application in AndroidManifest.xml.`,
      code: `import android.app.Application
import com.rudderstack.sdk.kotlin.android.Analytics
import com.rudderstack.sdk.kotlin.android.Configuration

class MyApplication : Application() {
    companion object {
        lateinit var analytics: Analytics
    }

    override fun onCreate() {
        super.onCreate()
        analytics = Analytics(
            configuration = Configuration(
                application = this,
                writeKey = "{{writeKey}}",
                dataPlaneUrl = "{{origin}}",
                controlPlaneUrl = "{{origin}}",
            )
        )
    }
}`,
      language: 'kotlin',
    },
    kotlinEvents,
    seeItArrive('A batch is sent after thirty events or ten seconds, or when you flush.'),
  ],
}
