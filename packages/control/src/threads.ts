// What the threads of roles need of control: a thread that reads its index has the whole API in its memory.
export { type AudienceSender, createAudienceSender } from './audiences/destinations/sender.ts'
export { type AudienceFollower, createAudienceFollower } from './audiences/follow.ts'
export { type ComputedTraitWorker, createComputedTraitWorker } from './computed-traits/worker.ts'
export { createComputedTraitCache } from './configuration-cache/computed-trait-cache.ts'
export {
  type CachedDestination,
  createDestinationCache,
  type DestinationCache,
} from './configuration-cache/destination-cache.ts'
export { createIdentityCache, type IdentityCache } from './configuration-cache/identity-cache.ts'
export { type CachedSchema, createSchemaCache, type SchemaCache } from './configuration-cache/schema-cache.ts'
export { createSignalCache, type SignalCache } from './configuration-cache/signal-cache.ts'
export { storedForm } from './events/stored-event.ts'
export { type AccessTokens, createAccessTokens } from './oauth-grants/access-tokens.ts'
export { hidingErased } from './privacy-requests/erased-events.ts'
export { createTelling } from './privacy-requests/tell.ts'
export { createReplayRunner, type ReplayRunner } from './replays/runner.ts'
export { createSignalConsumer } from './signals/engine/consumer.ts'
export { createSignalAudienceFollower } from './signals/engine/follow-audiences.ts'
export { removeExpired } from './signals/engine/persons.ts'
export { createSignalSender } from './signals/engine/sender.ts'
