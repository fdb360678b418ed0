export { clientAddress, isInRanges, parseProxies } from './caller.ts'
export { snippet } from './calls/browser-sdk.ts'
export { type Collect, createCollect, positionsTopic } from './collect.ts'
export { createPauses } from './log-producer.ts'
export {
  type CollectDeps,
  type CollectSettings,
  defaultCollectSettings,
  type RefusalRow,
  type RefusalSink,
  type WorkspaceSpreads,
  type WriteKeyCache,
  type WriteKeyEntry,
  type WriteKeyUse,
} from './ports.ts'
export {
  createWebhookReceiver,
  type ReceiveWebhookCall,
  type WebhookRule,
  type Webhooks,
} from './webhook/receive-webhook.ts'
