import { forwardedEvents } from '../forwarded.ts'

/** Source: a Segment workspace that forwards its events. */
export const segmentForward = {
  slug: 'segment-forward',
  title: 'Segment',
  description:
    'Migrate without code changes. Segment forwards every event to this server through its webhook destination. Types, IDs, times, and context stay the same.',
  type: 5,
  docsUrl: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/actions-webhook',
  guide: [
    {
      title: 'Add a webhook destination in Segment',
      text: 'Under **Connections, Catalog**, choose **Webhooks (Actions)** and the source to forward. Segment must be able to reach this server from the internet.',
    },
    {
      title: 'Map all events to this URL',
      text: 'Add a mapping with the action **Send** for the event types Track, Page, Screen, Identify, Group and Alias. Set **Method** to POST and **URL** to this. Keep **Data** as the whole event. Batching can be on.',
      code: '{{origin}}/v1/forward?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Or use Webhooks (Classic)',
      text: 'If your workspace still has classic webhooks, enter the same URL as the **Webhook URL**. Nothing else is needed.',
    },
    {
      title: 'Test it, then turn it on',
      text: "Segment's **Test Mapping** sends a sample event. Then enable the mapping and the destination. You can leave the shared secret empty; the write key identifies the source.",
    },
    ...forwardedEvents('Segment'),
  ],
}
