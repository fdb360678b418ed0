import type { TestProject } from 'vitest/node'
import { makeEventTemplate, startSharedEventStore } from './event-store.ts'
import { startSharedPostgres } from './postgres.ts'
import type {} from './provided.ts'

/** Starts the resources that all test files share, once per run, and stops them at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = new AsyncDisposableStack()
  const [postgres, eventStore] = await Promise.allSettled([startSharedPostgres(), startSharedEventStore()])
  if (postgres.status === 'fulfilled') stack.use(postgres.value)
  if (eventStore.status === 'fulfilled') stack.use(eventStore.value)
  if (postgres.status === 'rejected' || eventStore.status === 'rejected') {
    await stack.disposeAsync()
    throw postgres.status === 'rejected'
      ? postgres.reason
      : eventStore.status === 'rejected'
        ? eventStore.reason
        : undefined
  }
  await makeEventTemplate(eventStore.value.url)
  project.provide('postgresUrl', postgres.value.url)
  project.provide('eventStoreUrl', eventStore.value.url)
  return () => stack.disposeAsync()
}
