import { needsHttps, seeItArrive } from '../arrival.ts'

/** Source: .NET, Unity and Xamarin programs with Analytics-CSharp. */
export const dotnet = {
  slug: 'dotnet',
  title: '.NET',
  description:
    'Send events from .NET servers, desktop applications, Unity and Xamarin with the Analytics-CSharp library. It stores events on disk until they are sent, so nothing is lost while a device is offline.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/Analytics-CSharp',
  guide: [
    {
      title: 'Install the library',
      text: 'For Unity it comes from OpenUPM: `openupm add com.segment.analytics.csharp`.',
      code: 'dotnet add package Segment.Analytics.CSharp',
      language: 'shell',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Both hosts end in \`/v1\`: one receives events, the other serves the library's settings.`,
      code: `using Segment.Analytics;

var configuration = new Configuration("{{writeKey}}",
    apiHost: "{{host}}/v1",
    cdnHost: "{{host}}/v1",
    flushAt: 20,
    flushInterval: 10);
var analytics = new Analytics(configuration);`,
      language: 'csharp',
    },
    {
      title: 'Send events',
      text: 'The library remembers the last user. On a server with many users, create one instance per user, with `storageProvider: new InMemoryStorageProvider()`.',
      code: `using Segment.Serialization;

analytics.Identify("user-123", new JsonObject { ["email"] = "jane@example.com", ["plan"] = "pro" });
analytics.Track("Order Completed", new JsonObject { ["order_id"] = "1001", ["total"] = 59.9 });
analytics.Flush();`,
      language: 'csharp',
    },
    seeItArrive('A batch is sent after flushInterval seconds, or when you flush.'),
  ],
}
