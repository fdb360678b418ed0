import { parseReference } from '@tributary/api-kit'
import { type methods, type ParsedRequest, resourceNames, type SyncRowPreview, testRowsRead } from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import {
  actions,
  checkSync,
  findObject,
  MissingColumn,
  type ModelRow,
  namedTarget,
  presentModel,
  readDataSource,
  readModel,
  type SessionDeps,
  type SyncTarget,
  stagingOf,
  takesCursor,
  useDataSource,
} from '@tributary/syncs'
import { findRow } from './find-row.ts'

type Trial = ParsedRequest<typeof methods.syncTestRows.preview>

/** The validated settings of a sync for a test row. */
export type CheckedTrial = { model: ModelRow; target: SyncTarget; body: Trial }

/**
 * Validates the settings of a sync. Throws the errors that saving the sync would cause, and 400 for a key that is not
 * in the model. Throws 404 for resources of other workspaces.
 */
export const checkTrial = async (
  { db, catalog }: Pick<SessionDeps, 'db' | 'catalog'>,
  workspace: Pick<WorkspaceRef, 'id'>,
  body: Trial,
): Promise<CheckedTrial> => {
  const named = parseReference(resourceNames.model, 'model', body.model)
  if (named.workspace !== workspace.id) throw notFound('model not found')
  const model = await readModel(db, workspace.id, named.model)
  const target = await namedTarget(db, workspace.id, body.destination)
  const given = { ...body, to_destinations: false, owns_object: false }
  checkSync(await findObject(catalog, target, body.object), presentModel(model), given)
  if (body.key !== undefined && body.key.length !== model.primary_key.length) {
    const text = `The primary key is ${model.primary_key.join(', ')}. Enter a value for each column`
    throw badRequest('VALIDATION', text, { key: text })
  }
  return { model, target, body }
}

const operationOf = (target: SyncTarget, { mode }: Trial): SyncRowPreview['operation'] => {
  if (target.kind === 'source') return 'event'
  const { added } = actions[mode]
  if (added === 'upsert' || added === 'update' || added === 'insert') return added
  throw new Error(`The mode ${mode} does ${added} about rows that are added`)
}

/**
 * Reads the current row and prepares it for sending, with the same functions as a run. Rejects with the errors of
 * `useDataSource`.
 */
export const tryRow = async (
  deps: SessionDeps,
  { model, target, body }: CheckedTrial,
  signal: AbortSignal,
): Promise<SyncRowPreview> => {
  const { db, catalog } = deps
  const { query, primary_key: primaryKey } = presentModel(model)
  const opened = await readDataSource(db, model.workspace_id, model.data_source_id)
  const wanted = { query, primaryKey, key: body.key, takesFrom: takesCursor(catalog, model) }
  const { source_id } = target.columns
  // `test` stands for the ID of the sync, which is part of message IDs in a run. An unsaved sync has no ID.
  const staging = stagingOf({ ...body, source_id, sync: 'test', primaryKey })
  const operation = operationOf(target, body)
  const none = { found: false, source_key: '', key: '', operation, payload: '' }
  try {
    return await useDataSource(deps, opened, signal, async (session) => {
      const { columns, row, more } = await findRow(session, wanted)
      const toStaged = staging(columns)
      if (row === undefined && body.key === undefined) return { ...none, reason: 'The model has no rows' }
      if (row === undefined)
        return {
          ...none,
          reason: more
            ? `None of the first ${testRowsRead.toLocaleString('en-US')} rows has this primary key`
            : 'No row of the model has this primary key',
        }
      const { key, sourceKey, payload, problem } = toStaged(row)
      return { found: true, source_key: sourceKey, key, operation, payload, reason: problem }
    })
  } catch (error) {
    if (!(error instanceof MissingColumn)) throw error
    throw badRequest('VALIDATION', error.message, { fields: error.message })
  }
}
