import type { TestProject } from 'vitest/node'
import { startSharedEventStore } from './event-store.ts'
import { startSharedPostgres } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Administrative address of the run's PostgreSQL. */
    postgresUrl: string
    /** Address of the run's event store; databases are created in it per suite. It carries the credentials. */
    eventStoreUrl: string
  }
}

/** Starts what all test files share, once per run, and stops it at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = new AsyncDisposableStack()
  try {
    const postgres = stack.use(await startSharedPostgres())
    project.provide('postgresUrl', postgres.url)
    const eventStore = stack.use(await startSharedEventStore())
    project.provide('eventStoreUrl', eventStore.url)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
  return () => stack.disposeAsync()
}
