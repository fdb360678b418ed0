import { type Db, isId } from '@tributary/api-kit'
import { type AudienceRow, audienceName } from '@tributary/audiences'
import { dataColumn, dataQuery, type Model, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { ModelsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { dataSourceName } from '../data-sources/read.ts'

export type ModelRow = Selectable<ModelsTable> & {
  data_source_title: string
  /** The kind of the model's data source. */
  data_source_app: string
  audience_title: string | null
  audience_state: AudienceRow['state'] | null
  audience_as_of: Date | null
}

export const modelName = (workspace: string, model: string): string => resourceNames.model.format({ workspace, model })

/** Selects models with the titles of their data sources, and of the audiences that some models read. */
export const selectModels = (db: Db) =>
  db
    .selectFrom('models')
    .innerJoin('data_sources', 'data_sources.id', 'models.data_source_id')
    .leftJoin('audiences', 'audiences.id', 'models.audience_id')
    .selectAll('models')
    .select([
      'data_sources.title as data_source_title',
      'data_sources.app as data_source_app',
      'audiences.title as audience_title',
      'audiences.state as audience_state',
      'audiences.as_of as audience_as_of',
    ])

/** Reads a model of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readModel = async (db: Db, workspaceId: string, id: string): Promise<ModelRow> => {
  const row = isId(id)
    ? await selectModels(db)
        .where('models.workspace_id', '=', workspaceId)
        .where('models.id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('model not found')
  return row
}

/** Returns a model in the form of the API. */
export const presentModel = (row: ModelRow): Model => ({
  name: modelName(row.workspace_id, row.id),
  title: row.title,
  data_source: { name: dataSourceName(row.workspace_id, row.data_source_id), title: row.data_source_title },
  query: dataQuery.parse(JSON.parse(row.query)),
  audience:
    row.audience_id === null
      ? null
      : {
          name: audienceName(row.workspace_id, row.audience_id),
          title: row.audience_title ?? '',
          state: row.audience_state ?? 'failed',
          as_of: row.audience_as_of?.toISOString() ?? null,
        },
  primary_key: row.primary_key,
  columns: z.array(dataColumn).parse(JSON.parse(row.columns)),
  create_time: row.create_time.toISOString(),
  update_time: row.update_time.toISOString(),
})
