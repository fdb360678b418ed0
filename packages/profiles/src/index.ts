export { unusableInEvents } from './identifiers.ts'
export { createLearning, createProfiles, type ProfilesDeps } from './profiles.ts'
export { rebuildProfiles } from './rebuild.ts'
export { type SplitRefusal, type SplitRequest, splitProfile } from './split.ts'
