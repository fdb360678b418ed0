import type { Tx } from '@tributary/api-kit'
import type { schemaChanges } from '@tributary/contract'
import { type StoredSchema, schemaCounts } from './stored-schema.ts'

/** Adds a version to the history of a source's schema. The source must be new, or locked. */
export const insertSchemaVersion = async (
  tx: Tx,
  made: {
    sourceId: string
    version: number
    stored: StoredSchema
    change: (typeof schemaChanges)[number]
    /** The user who made the version; null if the product itself made it. */
    authorId: string | null
    time: Date
  },
): Promise<void> => {
  await tx
    .insertInto('source_schemas')
    .values({
      source_id: made.sourceId,
      version: made.version,
      schema: made.stored.text,
      change: made.change,
      author_id: made.authorId,
      ...schemaCounts(made.stored.schema),
      create_time: made.time,
    })
    .execute()
}
