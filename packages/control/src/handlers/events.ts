import { type Handlers } from '@tributary/http'
import { batchGetSourceEvents } from '../events/batch-get-by-source.ts'
import { getEvent } from '../events/get.ts'
import { listEvents } from '../events/list.ts'
import { listSourceEvents } from '../events/list-by-source.ts'
import { getMetrics } from '../metrics/get.ts'
import { listAllHeldWork, listHeldWork } from '../stream/list-held-work.ts'
import { releaseHeldWork } from '../stream/release-held-work.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about events. */
export const eventHandlers = (deps: HandlerDeps): Pick<Handlers, 'events' | 'heldWork' | 'metrics'> => ({
  events: {
    batchGetBySource: batchGetSourceEvents(deps),
    listBySource: listSourceEvents(deps),
    list: listEvents(deps),
    get: getEvent(deps),
  },
  heldWork: { list: listHeldWork(deps), listAll: listAllHeldWork(deps), release: releaseHeldWork(deps) },
  metrics: { get: getMetrics(deps) },
})
