import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentVersion, selectVersions } from './read.ts'

/** Returns one version of a source's schema, including the schema itself. */
export const getSchemaVersion =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.schemaVersions.get> =>
  async ({ workspace, params }) => {
    const source = await readSource(db, workspace.id, params.source)
    // A number of up to nine digits fits into the column.
    const row = /^[1-9]\d{0,8}$/.test(params.version)
      ? await selectVersions(db, source.id)
          .select('source_schemas.schema')
          .where('source_schemas.version', '=', Number(params.version))
          .executeTakeFirst()
      : undefined
    if (row === undefined) throw notFound('schema version not found')
    return { ...presentVersion(source, row), schema: row.schema }
  }
