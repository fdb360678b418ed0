import type { SourceGuideStep } from '@tributary/connector-kit'

/**
 * Returns the last steps of a guide for events that another server forwards: how to check the connection, and what to
 * expect.
 */
export const forwardedEvents = (server: string): readonly SourceGuideStep[] => [
  {
    title: 'Test this endpoint',
    text: 'Send an event as it will be forwarded. The response is `{"success":true}`, and the top of the **Set up** page shows the event within a second.',
    code: `curl '{{origin}}/v1/forward?writeKey={{writeKey}}' \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "track", "event": "Order Completed", "userId": "user-123", "messageId": "forwarded-1", "properties": {"total": 59.9}}'`,
    language: 'shell',
  },
  {
    title: 'How events are handled',
    text: `Events that ${server} retries count once, by message ID. Events keep the time ${server} gave them, even if they arrive late. Once a site or app sends here directly, remove its source from the destination, or every event arrives twice.`,
  },
]
