export {
  among,
  type CacheFollower,
  type CacheFollowerDeps,
  type Changed,
  createCacheFollower,
} from './caches/cache-follower.ts'
export { type ComputedTraitCache, createComputedTraitCache } from './caches/computed-trait-cache.ts'
export { type CustomDomainCache, createCustomDomainCache } from './caches/custom-domain-cache.ts'
export { createDestinationCache, type DestinationCache } from './caches/destination-cache.ts'
export { createIdentityCache } from './caches/identity-cache.ts'
export { type CachedProfileKey, createProfileKeyCache, type ProfileKeyCache } from './caches/profile-key-cache.ts'
export { createSchemaCache } from './caches/schema-cache.ts'
export { type CachedSyncToken, createSyncTokenCache, type SyncTokenCache } from './caches/sync-token-cache.ts'
export { createWriteKeyCache, spreadChange, spreadPause, type WriteKeyCache } from './caches/write-key-cache.ts'
export {
  changedPlainSettings,
  changedSettings,
  changeSetting,
  checkFirstSettings,
  checkNewSettings,
  missingSettings,
  openForChange,
  refuseNewSettings,
  requireComplete,
} from './connector-settings/change-setting.ts'
export { presentOption, presentSettings } from './connector-settings/present-setting.ts'
export { noSettings, readableSettings, secretsContext, storeSettings } from './connector-settings/stored-settings.ts'
export { verifySettings } from './connector-settings/verify-settings.ts'
export { type ConnectorDeps, callConnector } from './destinations/call-connector.ts'
export { type DestinationRow, presentDestination, readDestination, showDestination } from './destinations/read.ts'
export { instanceCounts, searched } from './instance-counts.ts'
export { checkMappings } from './mappings/check-mappings.ts'
export { ownMappings, presentAction, presentMappings, requireDefinition } from './mappings/read.ts'
export { createAccessTokens, sealTokens } from './oauth-grants/access-tokens.ts'
export { readGrants, tokensContext, verifierContext } from './oauth-grants/grants.ts'
export { removeGrant, removeGrantsOf, replaceGrant } from './oauth-grants/write.ts'
export { findDestination, offeredDestination, offeredDestinations } from './own-connectors/find-destination.ts'
export { letterIcon } from './own-connectors/letter-icon.ts'
export { ownApp, ownAppStart, ownVersionOf } from './own-connectors/own-app.ts'
export { createOwnDestinations, listingOf, type OwnDestinations } from './own-connectors/own-destinations.ts'
export { readPersonData } from './person-data.ts'
export type { Catalog, ConfigurationServices } from './services.ts'
export { ownFields } from './signals/stored-platform.ts'
export { presentSource, presentWithSchema, readSource, selectSources } from './sources/read.ts'
