import { type Db, parseReference, type Tx } from '@tributary/api-kit'
import type { Catalog } from '@tributary/configuration'
import { findDestination, readDestination, readSource } from '@tributary/configuration'
import { type EventObject, eventObjects, resourceNames } from '@tributary/contract'
import { badRequest, conflict, cutText, notFound } from '@tributary/kernel'
import { findRowObject, type SyncObject } from './check.ts'

/** The target of a sync: a destination, or a source of the workspace, whose events the rows become. */
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

/**
 * Reads the target with a resource name. Throws 400 for the name of anything but a source or a destination, and 404 for
 * a target that is not in this workspace.
 */
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

/** Returns the target of a sync; throws 404 if it no longer exists. */
export const targetOf = (
  db: Db,
  row: { workspace_id: string; destination_id: string | null; source_id: string | null },
): Promise<SyncTarget> =>
  row.source_id === null
    ? destinationTarget(db, row.workspace_id, row.destination_id ?? '')
    : sourceTarget(db, row.workspace_id, row.source_id)

/**
 * Throws 409 if the destination of a target has another version of its app by now. No version is published before the
 * commit.
 */
export const requireSameApp = async (
  tx: Tx,
  target: { kind: 'destination'; id: string; app: string } | { kind: 'source' },
): Promise<void> => {
  if (target.kind === 'source') return
  const row = await tx
    .selectFrom('destinations')
    .select('app')
    .where('id', '=', target.id)
    .forShare()
    .executeTakeFirst()
  if (row?.app !== target.app)
    throw conflict('CHANGED', 'A new version of the destination was published meanwhile. Try again')
}

/** Returns the event object of a source with this name; undefined if it does not exist. */
export const eventObjectOf = (object: string): EventObject | undefined =>
  eventObjects.find(({ name }) => name === object)

/** Finds the object of a target with this name; undefined if it no longer exists. */
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

/** Returns the error for an unknown name, with the names that exist. */
export const noSuchObject = (object: string, names: readonly string[]): Error => {
  const text = `There is no object "${cutText(object, 100)}" here. Choose one of: ${names.join(', ')}`
  return badRequest('VALIDATION', text, { object: text })
}

/**
 * Returns the object of a target to which rows are written. Throws 400 for an unknown name, with the names that exist.
 */
export const requireObject = async (catalog: Catalog, target: SyncTarget, object: string): Promise<SyncObject> => {
  const found = await findObject(catalog, target, object)
  if (found !== undefined) return found
  const definition = target.kind === 'source' ? undefined : await (await findDestination(catalog, target.app))?.load()
  const known = target.kind === 'source' ? eventObjects : (definition?.rowObjects ?? [])
  throw noSuchObject(
    object,
    known.map(({ name }) => name),
  )
}
