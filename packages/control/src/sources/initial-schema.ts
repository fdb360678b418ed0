import { isId, type Tx } from '@tributary/api-kit'
import type { SourceDefinition } from '@tributary/connector-kit'
import { emptySchema, resourceNames } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { readStored, type StoredSchema, toStored } from '../schema-versions/stored-schema.ts'
import { templateSchema } from '../source-schema-templates/template.ts'
import { templates } from '../source-schema-templates/templates.ts'

const field = 'schema.initial_template.name'

const refused = (text: string) => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/** The current schema of a source of the workspace with this name; undefined if there is none. */
const schemaOfSource = async (tx: Tx, workspaceId: string, name: string): Promise<StoredSchema | undefined> => {
  const reference = resourceNames.source.parse(name)
  if (reference?.workspace !== workspaceId || !isId(reference.source)) return undefined
  const row = await tx
    .selectFrom('sources')
    .innerJoin('source_schemas', 'source_schemas.source_id', 'sources.id')
    .select('source_schemas.schema')
    .where('sources.id', '=', reference.source)
    .where('sources.workspace_id', '=', workspaceId)
    .where('sources.delete_time', 'is', null)
    .whereRef('source_schemas.version', '=', 'sources.schema_version')
    .executeTakeFirst()
  return row === undefined ? undefined : readStored(row.schema)
}

/**
 * The schema of a new source: the one of its app, that of a template, the schema of another source of the workspace, or one without events.
 * Throws 400 for another name, and for any name when the app has a schema.
 */
export const initialSchema = async (
  tx: Tx,
  workspaceId: string,
  app: SourceDefinition,
  name: string | undefined,
): Promise<StoredSchema> => {
  if (app.predefinedSchema !== undefined) {
    if (name !== undefined) throw refused(`${app.title} has a schema of its own: leave the template out`)
    return toStored(app.predefinedSchema)
  }
  if (name === undefined) return toStored(emptySchema)
  const slug = resourceNames.schemaTemplate.parse(name)?.template
  const template = templates.find((each) => each.slug === slug)
  if (template !== undefined) return readStored(templateSchema(template))
  const copied = await schemaOfSource(tx, workspaceId, name)
  if (copied === undefined) throw refused('There is no template and no source of this workspace with this name')
  return copied
}
