import type {} from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Administrative address of the run's PostgreSQL. */
    postgresUrl: string
    /** Address of the run's event store, with credentials and without a database. */
    eventStoreUrl: string
  }
}
