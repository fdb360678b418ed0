import { type Db, parseReference } from '@tributary/api-kit'
import { type EventObject, eventObjects, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { Catalog } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { readSource } from '../sources/read.ts'
import { findRowObject, type SyncObject } from './check.ts'

/** Where the rows of a sync go: to a destination, or to a source of the workspace, whose events they become. */
export type SyncTarget =
  | { kind: 'destination'; id: string; app: string; columns: { destination_id: string; source_id: null } }
  | { kind: 'source'; id: string; columns: { destination_id: null; source_id: string } }

const destinationTarget = async (db: Db, workspaceId: string, id: string): Promise<SyncTarget> => {
  const { app } = await readDestination(db, workspaceId, id)
  return { kind: 'destination', id, app, columns: { destination_id: id, source_id: null } }
}
const sourceTarget = async (db: Db, workspaceId: string, id: string): Promise<SyncTarget> => {
  await readSource(db, workspaceId, id)
  return { kind: 'source', id, columns: { destination_id: null, source_id: id } }
}

/** What a name stands for; throws 400 for one that is of neither, and 404 for what is not in this workspace. */
export const namedTarget = async (db: Db, workspaceId: string, name: string): Promise<SyncTarget> => {
  const source = resourceNames.source.parse(name)
  if (source !== undefined) {
    if (source.workspace !== workspaceId) throw notFound('source not found')
    return await sourceTarget(db, workspaceId, source.source)
  }
  const { workspace, destination } = parseReference(resourceNames.destination, 'destination', name)
  if (workspace !== workspaceId) throw notFound('destination not found')
  return await destinationTarget(db, workspaceId, destination)
}

/** Where the rows of a sync go; throws 404 when that is gone. */
export const targetOf = (
  db: Db,
  row: { workspace_id: string; destination_id: string | null; source_id: string | null },
): Promise<SyncTarget> =>
  row.source_id === null
    ? destinationTarget(db, row.workspace_id, row.destination_id ?? '')
    : sourceTarget(db, row.workspace_id, row.source_id)

/** What rows become in a source by this name; undefined when there is no such thing. */
export const eventObjectOf = (object: string): EventObject | undefined =>
  eventObjects.find(({ name }) => name === object)

/** What of a target rows can be written to by this name; undefined when there is no such thing any more. */
export const findObject = async (
  catalog: Catalog,
  target: SyncTarget,
  object: string,
): Promise<SyncObject | undefined> => {
  if (target.kind === 'source') {
    const event = eventObjectOf(object)
    return event === undefined ? undefined : { ...event, event }
  }
  return await findRowObject(catalog, target.app, object)
}
