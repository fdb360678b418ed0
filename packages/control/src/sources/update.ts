import { audit, changesOf, setSource } from '@tributary/api-kit'
import { presentWithSchema, readSource } from '@tributary/configuration'
import { type methods, type ParsedRequest, resourceNames, schemaMessage, sourceChannel } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { type SchemaChange, schemaChangeOf, writeSchemaChange } from './schema-change.ts'

type Body = ParsedRequest<typeof methods.sources.update>

/** Returns the changed fields that are columns of the table of sources. */
const columnsOf = ({ title, enabled, enforcement }: Body) => ({
  ...(title === undefined ? {} : { title }),
  ...(enabled === undefined ? {} : { enabled }),
  ...(enforcement === undefined ? {} : { enforcement }),
})

const changeIn = (body: Body): SchemaChange | undefined => {
  if (body.schema !== undefined) return schemaChangeOf({ ...body, schema: body.schema })
  if (body.propertyId !== undefined) throw badRequest('VALIDATION', 'schema: Required', { schema: 'Required' })
  return undefined
}

/**
 * Changes the title, the state, the enforcement, or the schema of a source. A disabled source refuses requests within
 * two seconds. If two changes are based on the same version of the schema, the second one fails with 409. An equal
 * schema makes no new version. Users who watch the source live are notified of a new version.
 */
export const updateSource =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'live' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.update> =>
  async ({ actor, workspace, params, body }) => {
    const { db, clock } = deps
    const { id } = await readSource(db, workspace.id, params.source)
    const columns = columnsOf(body)
    const change = changeIn(body)
    const version = await db.transaction().execute(async (tx) => {
      const source = await tx
        .selectFrom('sources')
        .select(['id', 'schema_version', 'title', 'enabled', 'enforcement'])
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (source === undefined) throw notFound('source not found')
      // The time is read under the lock, so that later versions have later times.
      const time = new Date(clock())
      const made = change && (await writeSchemaChange(tx, source, change, { authorId: actor.userId, time }))
      const written = { ...columns, ...(made === undefined ? {} : { schema_version: made }) }
      if (Object.keys(written).length === 0) return undefined
      await setSource(tx, id, { ...written, update_time: time })
      await audit(
        tx,
        resourceNames.source.format({ workspace: workspace.id, source: id }),
        { ...written, ...(made === undefined ? {} : { schema_change: change?.change }) },
        { changes: changesOf(source, written) },
      )
      return made
    })
    if (version !== undefined) deps.live(sourceChannel(id), schemaMessage, { version })
    return presentWithSchema(deps, await readSource(db, workspace.id, id))
  }
