import { catalogDestinations, catalogSources } from './catalog.ts'
import { config } from './client-config.ts'
import { connections } from './connections.ts'
import { deliveries } from './deliveries.ts'
import { deliveryOverviews } from './delivery-overview.ts'
import { destinations } from './destinations.ts'
import { droppedEvents } from './dropped-events.ts'
import { events } from './events.ts'
import { failureGroups } from './failure-groups.ts'
import { invitationLinks, invitations } from './invitations.ts'
import { mappings } from './mappings.ts'
import { memberships } from './memberships.ts'
import type { Method } from './method.ts'
import { metrics } from './metrics.ts'
import { notifications } from './notifications.ts'
import { organizations } from './organizations.ts'
import { realtime } from './realtime.ts'
import { refusedRequests } from './refused-requests.ts'
import { replays } from './replays.ts'
import { inferredSchemas, schemaVersions, sourceSchemaTemplates } from './source-schemas.ts'
import { sources } from './sources.ts'
import { sessions, users } from './users.ts'
import { violations } from './violations.ts'
import { workspaces } from './workspaces.ts'
import { writekeys } from './writekeys.ts'

/** Every call of the API by resource and verb: `methods.sources.list`. */
export const methods = {
  config,
  users,
  sessions,
  notifications,
  memberships,
  invitations,
  invitationLinks,
  organizations,
  workspaces,
  catalogSources,
  catalogDestinations,
  sources,
  sourceSchemaTemplates,
  schemaVersions,
  inferredSchemas,
  violations,
  writekeys,
  destinations,
  mappings,
  connections,
  events,
  deliveries,
  deliveryOverviews,
  failureGroups,
  replays,
  refusedRequests,
  droppedEvents,
  metrics,
  realtime,
} as const
export type Methods = typeof methods

/** All methods in one list. */
export const methodList: readonly Method[] = Object.values(methods).flatMap((group): Method[] => Object.values(group))
