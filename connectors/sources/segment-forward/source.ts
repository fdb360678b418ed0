import { forwardedEvents } from '../forwarded.ts'

/** A Segment workspace that passes its events on. */
export const segmentForward = {
  slug: 'segment-forward',
  title: 'Segment',
  description:
    'Move over without touching code: Segment passes every event on to this server through its webhook destination. Type, ids, times and context stay what they were, and your sites and apps stay as they are.',
  type: 5,
  docsUrl: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/actions-webhook',
  logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#2f8f6b"/><path d="M9 17h13M9 31h13M22 24h16l-6-6M38 24l-6 6" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>',
  guide: [
    {
      title: 'Add a webhook destination in Segment',
      text: 'Under **Connections, Catalog** choose **Webhooks (Actions)** and the source whose events are to come here. Segment reaches this server from the internet, so its address has to be public.',
    },
    {
      title: 'Map all events to this address',
      text: 'Add a mapping with the action **Send** for the event types Track, Page, Screen, Identify, Group and Alias. Set **Method** to POST and **URL** to this. Leave **Data** at the whole event; batches may be on.',
      code: '{{origin}}/v1/forward?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Or use Webhooks (Classic)',
      text: 'A workspace that still has the classic webhooks enters the same address as a **Webhook URL**; nothing else is needed.',
    },
    {
      title: 'Try it, then switch it on',
      text: "Segment's **Test Mapping** sends a sample event. Then enable the mapping and the destination. The shared secret may stay empty: the write key says whose events these are.",
    },
    ...forwardedEvents('Segment'),
  ],
}
