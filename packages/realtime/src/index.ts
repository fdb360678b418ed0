export { topics as realtimeTopics } from './gateway.ts'
export type { Authenticate, Authorize, ProveUser, RealtimeUser } from './http-api.ts'
export { defaultRealtimeLimits, type RealtimeLimits } from './limits.ts'
export { createRealtime, type Realtime, type RealtimeDeps } from './realtime.ts'
