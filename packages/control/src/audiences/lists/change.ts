import type { Tx } from '@tributary/api-kit'
import {
  type AudienceRow,
  audienceName,
  type Evaluation,
  forgetOldLists,
  listQuery,
  lockAudiences,
  readAudience,
  storeEntries,
  storeListChange,
} from '@tributary/audiences'
import { audienceQuery, type ListKind, listOf, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, type AppError, badRequest, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { changeAudience } from '../change.ts'
import { matchValues } from './match.ts'

/** The error if no profile has one of the values of a list. Such a list would remove all members. */
export const noProfileFound = (): AppError => {
  const text = 'No profile has one of these identifiers'
  return badRequest('VALIDATION', text, { values: text })
}

export type ListChange = {
  operation: 'add' | 'replace' | 'remove'
  kind: ListKind | null
  value_count: number
  found_count: number
  /** Sequence numbers of the identifiers to add. */
  add: readonly string[]
  remove: readonly string[]
  /** The version of the audience on which the change is based; undefined if the version does not matter. */
  version: number | undefined
}

/** Returns the version of the list that defines an audience. Throws 400 for an audience with conditions. */
export const listVersionOf = ({ query }: Pick<AudienceRow, 'query'>): number => {
  const list = listOf(audienceQuery.parse(JSON.parse(query)))
  if (list === undefined) throw badRequest('NO_LIST', 'This audience has conditions, and no list')
  return list.version
}

/** Locks the audience until the transaction ends, and returns it. Throws 404 if it was deleted. */
export const lockList = async (tx: Tx, { id, workspace_id }: AudienceRow): Promise<AudienceRow> => {
  await lockAudiences(tx, workspace_id)
  const row = await tx.selectFrom('audiences').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (row === undefined) throw notFound('audience not found')
  return row
}

/** Changes the list of a locked audience as a new version, and queues its computation. */
export const changeList = async (
  tx: Tx,
  deps: Pick<ControlDeps, 'jobs' | 'clock'>,
  row: AudienceRow,
  actor: Actor,
  { add, remove, version, ...change }: ListChange,
): Promise<void> => {
  const next = row.version + 1
  const { operation, kind, value_count, found_count } = change
  const base = operation === 'replace' ? undefined : listVersionOf(row)
  await storeEntries(tx, { workspaceId: row.workspace_id, audienceId: row.id, version: next, base }, { add, remove })
  const time = new Date(deps.clock())
  await storeListChange(tx, { actor, time }, { audience_id: row.id, version: next, ...change })
  await changeAudience(tx, deps, row, actor, {
    query: listQuery(audienceName(row.workspace_id, row.id), next),
    version,
    // The record has only the numbers of values: the audit log must not contain personal data.
    detail: { operation, ...(kind === null ? {} : { kind }), values: value_count, found: found_count },
  })
  await forgetOldLists(tx, row.id)
}

/** Adds values to the list of an audience, or replaces the list. */
export const changeAudienceList =
  ({
    evaluation,
    ...deps
  }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'> & { evaluation: Evaluation }): Handler<
    typeof methods.audiences.changeList
  > =>
  async ({ actor, workspace, params, body, signal }) => {
    const { operation, kind, values, validate_only, version } = body
    const audience = await readAudience(deps.db, workspace.id, params.audience)
    listVersionOf(audience)
    const { report, identifiers } = await matchValues(evaluation, workspace.id, body, signal)
    if (validate_only) return { report }
    if (identifiers.length === 0) throw noProfileFound()
    await deps.db.transaction().execute(async (tx) => {
      const row = await lockList(tx, audience)
      await changeList(tx, deps, row, actor, {
        operation,
        kind,
        value_count: values.length,
        found_count: report.found_count,
        add: identifiers,
        remove: [],
        version,
      })
    })
    return { report }
  }
