export { type AuditRetention, defaultAuditRetention, readAuditRetention } from './audit-records/retention.ts'
export type { ChannelAccess } from './channels.ts'
export { type Control, createControl } from './control.ts'
export { createDns } from './custom-domains/dns.ts'
export type { ControlDeps, Counters } from './deps.ts'
export type { ImageBox } from './images/images.ts'
export type { OpenIdSettings } from './openid/openid.ts'
export { createProfileApi } from './profile-api/profile-api.ts'
export { maskLiveMessage } from './profiles/mask.ts'
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
export { type FirstAdmin } from './users/ensure-platform-admin.ts'
export { resetAdminPassword } from './users/reset-admin-password.ts'
