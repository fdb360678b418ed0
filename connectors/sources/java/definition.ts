import { seeItArrive } from '../arrival.ts'
import { javaEvents, javaFlush } from '../code-steps.ts'

/** Source: Java and other JVM servers with analytics-java. */
export const java = {
  slug: 'java',
  title: 'Java',
  description:
    'Send events from Java, Scala and other servers on the JVM with the analytics-java library. It batches calls, sends them from its own threads, and retries when the network fails.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-java',
  guide: [
    {
      title: 'Add the library',
      text: 'With Maven; for Gradle it is `implementation("com.segment.analytics.java:analytics:3.5.4")`. Use the latest version.',
      code: `<dependency>
  <groupId>com.segment.analytics.java</groupId>
  <artifactId>analytics</artifactId>
  <version>3.5.4</version>
</dependency>`,
      language: 'xml',
    },
    {
      title: 'Point it at this server',
      text: 'Create one instance for the whole process. The library adds the path `/v1/import/` to the endpoint.',
      code: `import com.segment.analytics.Analytics;

Analytics analytics = Analytics.builder("{{writeKey}}")
    .endpoint("{{origin}}")
    .build();`,
      language: 'java',
    },
    javaEvents('com.segment.analytics'),
    javaFlush,
    seeItArrive('A batch is sent within ten seconds, or when you flush.'),
  ],
}
