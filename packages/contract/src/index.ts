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
export * from './accounts/account-rules.ts'
export * from './accounts/api-keys.ts'
export * from './accounts/audit-records.ts'
export * from './accounts/billing.ts'
export * from './accounts/custom-domains.ts'
export * from './accounts/invitations.ts'
export * from './accounts/mail-domains.ts'
export * from './accounts/memberships.ts'
export * from './accounts/money.ts'
export * from './accounts/notifications.ts'
export * from './accounts/onboardings.ts'
export * from './accounts/organizations.ts'
export * from './accounts/plans.ts'
export * from './accounts/usage.ts'
export * from './accounts/users.ts'
export * from './accounts/workspaces.ts'
export type { Access } from './api/access.ts'
export * from './api/fields.ts'
export * from './api/key-areas.ts'
export * from './api/method.ts'
export * from './api/methods.ts'
export * from './api/realtime.ts'
export * from './api/stock-messages.ts'
export * from './api/work.ts'
export * from './audiences/audiences.ts'
export * from './audiences/dates.ts'
export * from './audiences/destinations.ts'
export * from './audiences/lists.ts'
export * from './audiences/membership.ts'
export * from './audiences/query.ts'
export * from './audiences/refusals.ts'
export * from './audiences/sentence.ts'
export * from './audiences/versions.ts'
export * from './client-config.ts'
export { configCall, isClientConfig } from './client-config-reading.ts'
export * from './computed-traits.ts'
export * from './data-sources/data-sources.ts'
export * from './data-sources/models.ts'
export * from './data-sources/queries.ts'
export * from './data-sources/uploads.ts'
export * from './destinations/connections.ts'
export * from './destinations/deliveries.ts'
export * from './destinations/delivery-outcomes.ts'
export * from './destinations/delivery-overviews.ts'
export * from './destinations/destinations.ts'
export * from './destinations/event-mappings.ts'
export * from './destinations/failure-groups.ts'
export * from './destinations/left-out-counts.ts'
export * from './destinations/mappings.ts'
export * from './destinations/oauth-grants.ts'
export * from './destinations/outbound.ts'
export * from './destinations/own-connectors.ts'
export * from './destinations/people-lists.ts'
export * from './destinations/person-data.ts'
export {
  maxPersonPaths,
  type PersonDataCounts,
  type PersonDataPlaces,
  personDataCountLimits,
} from './destinations/person-data-places.ts'
export * from './destinations/profile-fields.ts'
export * from './destinations/replays.ts'
export * from './destinations/template-language.ts'
export * from './destinations/warehouse-loads.ts'
export * from './events/events.ts'
export { type HeldWork, heldWork, heldWorkKinds, maxHeldWorkReleases } from './events/held-work.ts'
export * from './events/log-meta.ts'
export * from './events/metrics.ts'
export * from './events/tracking.ts'
export * from './identity-settings.ts'
export * from './installation.ts'
export * from './privacy.ts'
export * from './profile-keys.ts'
export * from './profiles.ts'
export * from './rules/catalog.ts'
export * from './rules/conditions.ts'
export * from './rules/contacts.ts'
export { type CurlReading, descriptionOfCurl, maxCurlCharacters } from './rules/curl/description-of-curl.ts'
export * from './rules/destination-categories.ts'
export * from './rules/guide.ts'
export * from './rules/match-text.ts'
export * from './rules/placeholders.ts'
export * from './rules/settings.ts'
export * from './rules/value-rules.ts'
export {
  type SignalConversion,
  type SignalDefinition,
  type SignalEventId,
  type SignalPlatformInput,
  type SignalRefunds,
  type SignalTrigger,
  type SignalValue,
  signalDefinition,
  signalLimits,
  signalPlatformInput,
  signalTrigger,
} from './signals/signal-definition.ts'
export { type SignalDraft, signalDraft } from './signals/signal-drafts.ts'
export * from './signals/signal-results.ts'
export {
  defaultConsentPath,
  type SignalSettings,
  signalSettings,
  withoutConsentChoices,
} from './signals/signal-settings.ts'
export * from './signals/signal-shown.ts'
export * from './signals/standard-conversions.ts'
export * from './sources/compatibility.ts'
export * from './sources/dropped-events.ts'
export * from './sources/refused-requests.ts'
export * from './sources/schema-versions.ts'
export * from './sources/source-schema.ts'
export * from './sources/source-schema-edits.ts'
export * from './sources/sources.ts'
export * from './sources/violations.ts'
export * from './sources/writekeys.ts'
export * from './syncs/alert-channels.ts'
export * from './syncs/event-objects.ts'
export * from './syncs/sync-cursors.ts'
export * from './syncs/sync-drafts.ts'
export * from './syncs/sync-dry-runs.ts'
export * from './syncs/sync-run.ts'
export * from './syncs/sync-test-rows.ts'
export * from './syncs/sync-tokens.ts'
export * from './syncs/syncs.ts'
