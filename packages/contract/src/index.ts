export {
  type AccessSubject,
  AppError,
  administrators,
  backoffMs,
  canSee,
  type ErrorBody,
  editors,
  everyRole,
  type FlagContext,
  type FlagKey,
  type FlagValues,
  flagDefaults,
  flagKeys,
  isJsonObject,
  mayAct,
  type RetryPolicy,
  type Role,
  roleAliases,
  roles,
  roleTitles,
  toRole,
} from '@tributary/kernel/browser'
export type { Access } from './access.ts'
export * from './account-rules.ts'
export * from './catalog.ts'
export * from './client-config.ts'
export { configCall, isClientConfig } from './client-config-reading.ts'
export * from './compatibility.ts'
export * from './conditions.ts'
export * from './connections.ts'
export * from './deliveries.ts'
export * from './delivery-outcomes.ts'
export * from './delivery-overviews.ts'
export * from './destinations.ts'
export * from './dropped-events.ts'
export * from './events.ts'
export * from './failure-groups.ts'
export * from './fields.ts'
export * from './guide.ts'
export * from './invitations.ts'
export * from './mail-domains.ts'
export * from './mappings.ts'
export * from './match-text.ts'
export * from './memberships.ts'
export * from './method.ts'
export * from './methods.ts'
export * from './metrics.ts'
export * from './notifications.ts'
export * from './oauth-grants.ts'
export * from './organizations.ts'
export * from './outbound.ts'
export * from './profiles.ts'
export * from './realtime.ts'
export * from './refused-requests.ts'
export * from './replays.ts'
export * from './schema-versions.ts'
export * from './settings.ts'
export * from './source-schema.ts'
export * from './source-schema-edits.ts'
export * from './sources.ts'
export * from './stock-messages.ts'
export * from './template-language.ts'
export * from './tracking.ts'
export * from './users.ts'
export * from './value-rules.ts'
export * from './violations.ts'
export * from './work.ts'
export * from './workspaces.ts'
export * from './writekeys.ts'
