import type { ControlDeps } from '../../deps.ts'

/** Whether destinations of an app take what is no event. */
export const takesRows = async (catalog: ControlDeps['catalog'], app: string): Promise<boolean> => {
  const definition = await catalog.destinations.find(({ slug }) => slug === app)?.load()
  return definition?.deliverRows !== undefined
}
