import { seeItArrive } from '../arrival.ts'
import { javaEvents, javaFlush } from '../code-steps.ts'

/** Source: Java and other JVM servers with RudderStack's SDK. */
export const rudderstackJava = {
  slug: 'rudderstack-java',
  title: 'RudderStack Java SDK',
  description:
    "Keep RudderStack's Java SDK on your server and point it at this one. Batches, compression and retries work as before.",
  type: 3,
  docsUrl: 'https://www.rudderstack.com/docs/sources/event-streams/sdks/rudderstack-java-sdk/',
  guide: [
    {
      title: 'Add the SDK',
      text: 'With Maven; for Gradle it is `implementation("com.rudderstack.sdk.java.analytics:analytics:3.1.2")`. Use the latest version.',
      code: `<dependency>
  <groupId>com.rudderstack.sdk.java.analytics</groupId>
  <artifactId>analytics</artifactId>
  <version>3.1.2</version>
</dependency>`,
      language: 'xml',
    },
    {
      title: 'Point it at this server',
      text: 'Create one instance for the whole process. The SDK adds the path `/v1/batch` to the data plane.',
      code: `import com.rudderstack.sdk.java.analytics.RudderAnalytics;

RudderAnalytics analytics = RudderAnalytics.builder("{{writeKey}}")
    .setDataPlaneUrl("{{origin}}")
    .build();`,
      language: 'java',
    },
    javaEvents('com.rudderstack.sdk.java.analytics'),
    javaFlush,
    seeItArrive('A batch is sent within ten seconds, or when you flush.'),
  ],
}
