import { findDestination } from '@tributary/configuration'
import type { ControlDeps } from '../../deps.ts'

/** Whether destinations of an app can receive the entries and exits of an audience: those that take `track` events. */
export const takesAudiences = async (catalog: ControlDeps['catalog'], app: string): Promise<boolean> => {
  const definition = await (await findDestination(catalog, app))?.load()
  return (definition?.actions ?? []).some(({ eventTypes }) => eventTypes.length === 0 || eventTypes.includes('track'))
}
