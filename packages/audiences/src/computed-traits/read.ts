import { type Db, isId } from '@tributary/api-kit'
import {
  type ComputedTrait,
  type ComputedTraitDefinition,
  type ComputedTraitState,
  type ComputedTraitSummary,
  computedTraitDefinition,
  resourceNames,
} from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { ComputedTraitsTable } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import { authorOf } from '../read.ts'

export type ComputedTraitRow = Selectable<ComputedTraitsTable>

export const computedTraitName = (workspace: string, computedTrait: string): string =>
  resourceNames.computedTrait.format({ workspace, computed_trait: computedTrait })

/** Returns the definition in the row of a computed trait. */
export const definitionOf = ({ definition }: Pick<ComputedTraitRow, 'definition'>): ComputedTraitDefinition =>
  computedTraitDefinition.parse(JSON.parse(definition))

/**
 * Reads a computed trait of this workspace. Throws 404 if it does not exist, was deleted, or belongs to another
 * workspace.
 */
export const readComputedTrait = async (db: Db, workspaceId: string, id: string): Promise<ComputedTraitRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('computed_traits')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('computed trait not found')
  return row
}

/** Reads the time up to which the computed traits of a workspace are current; null if they never were. */
export const readAsOf = async (db: Db, workspaceId: string): Promise<Date | null> => {
  const row = await db
    .selectFrom('computed_trait_places')
    .select('as_of')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.as_of ?? null
}

const stateOf = ({ failure, computed_version, version }: ComputedTraitRow): ComputedTraitState =>
  failure !== '' ? 'failed' : computed_version < version ? 'computing' : 'live'

/** Returns a row of the list in the form of the API. */
export const presentSummary = (row: ComputedTraitRow, asOf: Date | null): ComputedTraitSummary => {
  const state = stateOf(row)
  return {
    name: computedTraitName(row.workspace_id, row.id),
    trait: row.trait,
    definition: definitionOf(row),
    version: row.version,
    state,
    progress: state === 'computing' ? { done_count: row.pass_done, profile_count: row.pass_total } : null,
    as_of: row.computed_version === 0 ? null : (asOf?.toISOString() ?? null),
    failure: row.failure,
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
  }
}

/** Returns a computed trait in the form of the API for its page. */
export const presentComputedTrait = async (db: Db, row: ComputedTraitRow): Promise<ComputedTrait> => {
  const [asOf, author, { rows }] = await Promise.all([
    readAsOf(db, row.workspace_id),
    authorOf(db, row.author_id),
    sql<{ n: string }>`select count(*) as n from profile_traits
      where source_id = ${row.id}::uuid and due is not null`.execute(db),
  ])
  return { ...presentSummary(row, asOf), profile_count: Number(rows[0]?.n ?? 0), author, warnings: [] }
}
