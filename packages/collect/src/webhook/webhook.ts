import type { BodyTransform } from '../calls/tracking.ts'
import type { IngestionContext, TrackRoute } from '../ingestion-context.ts'
import type { CollectDeps } from '../ports.ts'
import { createWebhookReceiver, webhookCall } from './receive-webhook.ts'
import { webhookEvent } from './webhook-event.ts'

/** The route of events that a source's own rule created. Such events already have their times. */
const ownRoute: TrackRoute = { kind: 'batch', client: false, forwarded: true }

/**
 * Handles calls to `/v1/webhook`. If the kind of source has a rule, the rule checks the call and creates the events
 * here, not in the pipeline: see docs/adr/0009-webhooks-become-events-at-the-door.md. Otherwise the body becomes the
 * properties of a track event.
 */
export const createWebhook = (context: IngestionContext, deps: CollectDeps): BodyTransform => {
  const { webhooks, clock } = deps
  const receive = createWebhookReceiver(context.settings.eventBytes)
  const transform: BodyTransform = (given, { req, query }, entry, sent) => {
    // A call to a disabled source is rejected by later checks.
    const rule = entry === undefined ? undefined : webhooks?.get(entry.app)
    if (entry !== undefined && entry.sourceEnabled && rule !== undefined) {
      if (entry.settings === undefined) return context.retryLater.settingsUnreadable
      const received = receive(rule, entry.settings, webhookCall(req, query, [given, sent], clock()))
      if (received !== undefined) {
        if ('refusal' in received) return received.refusal
        const { events, redirect } = received
        const onward = redirect === undefined ? {} : { redirect }
        if (events.length === 0) return { nothing: true, ...onward }
        return { body: Buffer.from(`{"batch":[${events.join(',')}]}`), route: ownRoute, own: true, ...onward }
      }
    }
    const body = webhookEvent(given, query, req.method ?? '')
    return Buffer.isBuffer(body) ? { body } : body
  }
  transform.ownCode = ({ app }) => webhooks?.get(app) !== undefined
  return transform
}
