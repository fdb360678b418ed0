import type { RowObjectDefinition } from '@tributary/connector-kit'
import type { Model, SyncField, SyncMode } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { Catalog } from '../deps.ts'

/** What of an app's destinations rows can be written to by this name; undefined when there is no such thing any more. */
export const findRowObject = async (
  catalog: Catalog,
  app: string,
  object: string,
): Promise<RowObjectDefinition | undefined> => {
  const definition = await catalog.destinations.find(({ slug }) => slug === app)?.load()
  return definition?.rowObjects?.find(({ name }) => name === object)
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', text, { [field]: text })

/** Throws 400 for what a sync cannot be: a mode that the object has not, a mapping of columns that the model has not. */
export const checkSync = (
  rowObject: RowObjectDefinition | undefined,
  model: Pick<Model, 'columns'>,
  given: { mode: SyncMode; identifier: string; fields: readonly SyncField[] },
): void => {
  if (rowObject === undefined) throw refuse('object', 'This destination has no such object for rows')
  if (!rowObject.syncModes.includes(given.mode))
    throw refuse('mode', `${rowObject.title} can't be synced in this mode. Choose another one`)
  const missing = given.fields.find(({ column }) => !model.columns.some(({ name }) => name === column))
  if (missing !== undefined) throw refuse('fields', `The model has no column ${missing.column}`)
  if (!given.fields.some(({ target }) => target === given.identifier))
    throw refuse('identifier', `Map a column to ${given.identifier}: it tells records apart`)
}
