import type { SourceGuideStep } from '@tributary/connector-kit'

/** The last steps of a guide for events that another server passes on: how to check the way here, and what to expect. */
export const forwardedEvents = (server: string): readonly SourceGuideStep[] => [
  {
    title: 'Check the way here without it',
    text: 'This is an event as it will be passed on. The line at the top of the **Set up** page names it within a second; the answer is `{"success":true}`.',
    code: `curl '{{origin}}/v1/forward?writeKey={{writeKey}}' \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "track", "event": "Order Completed", "userId": "user-123", "messageId": "forwarded-1", "properties": {"total": 59.9}}'`,
    language: 'shell',
  },
  {
    title: 'Know what happens to the events',
    text: `An event that ${server} sends again, because an answer was lost, counts once: its message id tells. Its time is the one that ${server} gave it, also when it comes late. Once a site or app sends here by itself, leave its source out of the destination, or every event comes twice.`,
  },
]
