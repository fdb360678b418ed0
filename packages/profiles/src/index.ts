export { createForgottenUsers } from './forgotten-users.ts'
export { createProfileLedger } from './profile-ledger.ts'
export { createLearning, createProfiles, type ProfilesDeps } from './profiles.ts'
export { rebuildProfiles } from './rebuild.ts'
