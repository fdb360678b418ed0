import { isId, type Tx } from '@tributary/api-kit'
import type { SourceDefinition } from '@tributary/connector-kit'
import { emptySchema, resourceNames } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { readStored, type StoredSchema, toStored } from '../schema-versions/stored-schema.ts'
import { templateSchema } from '../source-schema-templates/template.ts'
import { templates } from '../source-schema-templates/templates.ts'

const field = 'schema.initial_template.name'

const refused = (text: string) => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/**
 * Reads the current schema of a source of the workspace, by the name of the source. Returns undefined if there is none.
 */
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
 * Returns the schema of a new source: that of its app, of a template, or of another source of the workspace, or an
 * empty one. Throws 400 for any other name, and for every name if the app has a schema.
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
