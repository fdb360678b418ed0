import { type Db, isId } from '@tributary/api-kit'
import { type DataQuery, peopleTables } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import { type DataSourceRow, peopleApp } from '@tributary/syncs'

/**
 * Returns the ID of the audience whose members a model reads; null for any other model. Throws 404 if the audience was
 * deleted.
 */
export const audienceOf = async (db: Db, dataSource: DataSourceRow, query: DataQuery): Promise<string | null> => {
  if (dataSource.app !== peopleApp || 'sql' in query || query.schema !== peopleTables.audiences) return null
  const found = isId(query.table)
    ? await db
        .selectFrom('audiences')
        .select('id')
        .where('workspace_id', '=', dataSource.workspace_id)
        .where('id', '=', query.table)
        .forKeyShare()
        .executeTakeFirst()
    : undefined
  if (found === undefined) throw notFound('audience not found')
  return found.id
}
