import type { Db, LiveChannel } from '@tributary/api-kit'
import type { ListedDataSource, ListedDestination, ListedSource, RequestClient } from '@tributary/connector-kit'
import type { Clock, Logger, SecretBox } from '@tributary/kernel'

/** The apps that sources, destinations and data sources can be instances of. */
export type Catalog = {
  sources: readonly ListedSource[]
  destinations: readonly ListedDestination[]
  dataSources: readonly ListedDataSource[]
}

/** What this package needs of the process that it runs in. */
export type ConfigurationServices = {
  db: Db
  secretBox: SecretBox
  catalog: Catalog
  /** Calls other servers for tests of destinations. */
  requestClient: Pick<RequestClient, 'request' | 'connect'>
  live: LiveChannel
  clock: Clock
  logger: Logger
}
