import type { Catalog, ConnectorDeps } from '@tributary/configuration'
import type { EventStore, JobSender } from '@tributary/storage'

/** The services that this package needs from its process. */
export type WarehouseServices = ConnectorDeps & { catalog: Catalog; eventStore: EventStore; jobs: JobSender }
