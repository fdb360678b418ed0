export { alertJob } from './alert-channels/queue.ts'
export { computeJob } from './audiences/compute.ts'
export { type AuditRetention, defaultAuditRetention, readAuditRetention } from './audit-records/retention.ts'
export { defaultPlans, readPlanCatalogue } from './billing/catalogue.ts'
export { releaseJob } from './billing/usage/release.ts'
export type { CacheFollowerDeps } from './configuration-cache/cache-follower.ts'
export { createCustomDomainCache } from './configuration-cache/custom-domain-cache.ts'
export { createProfileKeyCache } from './configuration-cache/profile-key-cache.ts'
export { createSyncTokenCache } from './configuration-cache/sync-token-cache.ts'
export {
  createWriteKeyCache,
  spreadChange,
  spreadPause,
  type WriteKeyCache,
  type WriteKeyEntry,
} from './configuration-cache/write-key-cache.ts'
export { type Control, createControl } from './control.ts'
export { createDns } from './custom-domains/dns.ts'
export type { Catalog, ControlDeps, Counters } from './deps.ts'
export { escapeHtml } from './mail/layout.ts'
export {
  createMailSender,
  MailRefused,
  type MailTransport,
  type OutgoingMail,
} from './mail/mail-sender.ts'
export { mailJob, queueWaitingMails } from './mail/queue-mail.ts'
export type { OpenIdSettings } from './openid/openid.ts'
export { erasureJob } from './privacy-requests/erasure-job.ts'
export { createProfileApi } from './profile-api/profile-api.ts'
export {
  createRefusalSink,
  type RefusalRow,
  type RefusalSink,
  type WriteKeyUse,
} from './refused-requests/refusal-sink.ts'
export { resealSecrets, UnreadableSecret } from './secret-key/reseal.ts'
export { verifySecretKey, WrongSecretKey } from './secret-key/verify.ts'
export type { StreamPressure } from './stream/notify-pressure.ts'
export { createSyncApi } from './sync-api/sync-api.ts'
export { syncJob } from './syncs/begin-run.ts'
export { dryRunJob } from './syncs/dry-runs/begin.ts'
export type { Outbound } from './syncs/send-rows.ts'
export { createSyncStore } from './syncs/store.ts'
export { type FirstAdmin } from './users/ensure-platform-admin.ts'
export { resetAdminPassword } from './users/reset-admin-password.ts'
