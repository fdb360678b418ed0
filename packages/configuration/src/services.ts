import type { Db, LiveChannel } from '@tributary/api-kit'
import type { ListedDataSource, ListedDestination, ListedSource, RequestClient } from '@tributary/connector-kit'
import type { Clock, Logger, SecretBox } from '@tributary/kernel'
import type { OwnDestinations } from './own-connectors/own-destinations.ts'

/** The apps for sources, destinations and data sources. */
export type Catalog = {
  sources: readonly ListedSource[]
  destinations: readonly ListedDestination[]
  dataSources: readonly ListedDataSource[]
  /** The destinations that workspaces describe themselves; absent if this process has none. */
  own?: OwnDestinations
}

/** The services that this package needs from its process. */
export type ConfigurationServices = {
  db: Db
  secretBox: SecretBox
  catalog: Catalog
  /** Sends requests to other servers for tests of destinations. */
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  live: LiveChannel
  clock: Clock
  logger: Logger
}
