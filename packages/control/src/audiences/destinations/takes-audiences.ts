import type { ControlDeps } from '../../deps.ts'

/** Whether destinations of an app are told who enters and leaves audiences. */
export const takesAudiences = async (catalog: ControlDeps['catalog'], app: string): Promise<boolean> => {
  const definition = await catalog.destinations.find(({ slug }) => slug === app)?.load()
  return definition?.takesAudiences === true
}
