import { seeItArrive } from '../arrival.ts'

/** Java and other JVM servers that use RudderStack's SDK. */
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
    {
      title: 'Send events',
      text: 'Every call needs a user ID or an anonymous ID.',
      code: `import com.rudderstack.sdk.java.analytics.messages.IdentifyMessage;
import com.rudderstack.sdk.java.analytics.messages.TrackMessage;
import java.util.Map;

analytics.enqueue(IdentifyMessage.builder()
    .userId("user-123")
    .traits(Map.of("email", "jane@example.com", "plan", "pro")));
analytics.enqueue(TrackMessage.builder("Order Completed")
    .userId("user-123")
    .properties(Map.of("order_id", "1001", "total", 59.9)));`,
      language: 'java',
    },
    {
      title: 'Flush before the process ends',
      text: 'Calls are batched in memory. Flush, then shut down the threads.',
      code: `analytics.flush();
analytics.shutdown();`,
      language: 'java',
    },
    seeItArrive('A batch is sent within ten seconds, or when you flush.'),
  ],
}
