import type { Handlers } from '@tributary/http'
import { accountHandlers } from './handlers/accounts.ts'
import { audienceHandlers } from './handlers/audiences.ts'
import type { HandlerDeps } from './handlers/deps.ts'
import { destinationHandlers } from './handlers/destinations.ts'
import { eventHandlers } from './handlers/events.ts'
import { profileHandlers } from './handlers/profiles.ts'
import { signalHandlers } from './handlers/signals.ts'
import { sourceHandlers } from './handlers/sources.ts'
import { syncHandlers } from './handlers/syncs.ts'

/** Makes a handler for every method of the contract. A new method is registered in the file of its area. */
export const createHandlers = (deps: HandlerDeps): Handlers => ({
  ...accountHandlers(deps),
  ...sourceHandlers(deps),
  ...eventHandlers(deps),
  ...destinationHandlers(deps),
  ...profileHandlers(deps),
  ...audienceHandlers(deps),
  ...syncHandlers(deps),
  ...signalHandlers(deps),
})
