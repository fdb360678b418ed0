export { factsOf } from './engine/click-facts.ts'
export { createSignalConsumer } from './engine/consumer.ts'
export { convert } from './engine/convert.ts'
export { allPlatforms, freshnessBounds } from './engine/counts.ts'
export { createSignalAudienceFollower } from './engine/follow-audiences.ts'
export {
  type AtPlatform,
  type ConversionInput,
  type EngineSignal,
  isConversion,
  keyOf,
  type MadeConversion,
  makeConversion,
  type ReadyPlatform,
} from './engine/make.ts'
export { matcherOf } from './engine/matcher.ts'
export { identifiersOf, readKnownPersons, readPersons, removeExpired } from './engine/persons.ts'
export { profileNeedsOfSignals } from './engine/profile-use.ts'
export { conversionsTopic, createSignalSender } from './engine/sender.ts'
export { eraseConversions } from './erase.ts'
export { type CheckedPlatform, checkPlatforms, eventNameOf, platformOf, readyPlatform } from './platforms.ts'
export {
  definitionOf,
  type PlatformWithDestination,
  readPlatforms,
  readSignal,
  type SignalRow,
  type StoredDefinition,
  signalName,
} from './read.ts'
export type { SignalServices } from './services.ts'
export { type CachedSignal, createSignalCache } from './signal-cache.ts'
export { insertSignal, removeSignal, setSignal } from './write.ts'
