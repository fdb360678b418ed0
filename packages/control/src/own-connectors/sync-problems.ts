import type { Db } from '@tributary/api-kit'
import type { SyncMode } from '@tributary/contract'
import { fieldsOf } from '@tributary/syncs'
import type { ReadOwn } from './affected.ts'

/** The operation that writes rows in a mode. */
const written = { FULL_SYNC: 'upsert', UPSERT_ONLY: 'upsert', UPDATE_ONLY: 'update', INSERT_ONLY: 'insert' } as const

/** Returns what rows of an object have in a mode: identifiers and fields. Undefined without the object. */
const rowsOf = ({ described }: ReadOwn, object: string, mode: SyncMode) => {
  const rows = described.objects.find(({ name }) => name === object)?.rows
  const action = described.actions[rows?.[written[mode]] ?? '']
  if (rows === undefined || action === undefined) return undefined
  return {
    identifies: (name: string): boolean => rows.identifiers.includes(name),
    needed: Object.entries(action.fields).flatMap(([name, { required }]) => (required ? [name] : [])),
    has: (name: string): boolean => action.custom_fields || Object.hasOwn(action.fields, name),
  }
}

/**
 * Returns why syncs to a destination do not fit a version. Only what they lose with the version is a problem of it. So
 * identifiers and fields that the version before did not have are none, nor those that it required already.
 */
export const syncProblems = async (
  db: Db,
  id: string,
  { before, after }: { before: ReadOwn | undefined; after: ReadOwn },
): Promise<string[]> => {
  const syncs = await db
    .selectFrom('syncs')
    .select(['title', 'object', 'mode', 'identifier', 'fields'])
    .where('destination_id', '=', id)
    .execute()
  return syncs.flatMap(({ title, object, mode, identifier, ...row }) => {
    const found = after.definition.rowObjects?.find(({ name }) => name === object)
    const now = rowsOf(after, object, mode)
    if (found === undefined) return [`The sync ${title} writes the object ${object}, which is no longer there`]
    if (!found.syncModes.includes(mode) || now === undefined)
      return [`The sync ${title} has the mode ${mode}, which ${object} no longer has`]
    const earlier = before === undefined ? undefined : rowsOf(before, object, mode)
    const targets = fieldsOf(row).map(({ target }) => target)
    const lost = targets.filter((target) => earlier?.has(target) !== false && !now.has(target))
    const needed = now.needed.filter(
      (name) => name !== identifier && !targets.includes(name) && earlier?.needed.includes(name) !== true,
    )
    return [
      ...(earlier?.identifies(identifier) !== false && !now.identifies(identifier)
        ? [`The sync ${title} identifies ${object} by ${identifier}, which no longer identifies them`]
        : []),
      ...lost.map((target) => `The sync ${title} writes ${target}, which ${object} no longer has`),
      ...needed.map((name) => `The sync ${title} does not write ${name}, which ${object} then requires`),
    ]
  })
}
