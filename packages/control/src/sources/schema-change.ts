import type { Tx } from '@tributary/api-kit'
import {
  mergeProperty,
  type PropertyPlace,
  parseSourceSchema,
  placeOfId,
  type SourceSchema,
  type schemaChanges,
} from '@tributary/contract'
import { badRequest, conflict } from '@tributary/kernel'
import { authorName, selectVersions } from '../schema-versions/read.ts'
import { isSameSchema, readStored, refusingSchema, toStored } from '../schema-versions/stored-schema.ts'
import { insertSchemaVersion } from '../schema-versions/write.ts'

/** A requested change of a schema: either the complete new schema or a change of one property. */
export type SchemaChange = {
  wanted: SourceSchema
  /** The property that changes; undefined if the complete schema changes. */
  place: PropertyPlace | undefined
  /** The version on which the change is based. */
  basedOn: number | undefined
  change: (typeof schemaChanges)[number]
}

/** Reads the schema change that a call requests. Throws 400 VALIDATION with `schema` or `propertyId`. */
export const schemaChangeOf = (asked: {
  schema: string
  propertyId?: string | undefined
  schema_version?: number | undefined
  schema_change?: SchemaChange['change'] | undefined
}): SchemaChange => {
  const place = asked.propertyId === undefined ? undefined : placeOfId(asked.propertyId)
  if (asked.propertyId !== undefined && place === undefined) {
    const text = 'Must be the JSON Pointer of a property, like /events/Order Completed/properties/total'
    throw badRequest('VALIDATION', `propertyId: ${text}`, { propertyId: text })
  }
  return {
    wanted: refusingSchema(() => parseSourceSchema(asked.schema)),
    place,
    basedOn: asked.schema_version,
    change: place === undefined ? (asked.schema_change ?? 'edited') : 'property',
  }
}

/** Throws the error for a change that is based on an older version. It says who made the current version and when. */
const refuseStale = async (tx: Tx, sourceId: string, current: number): Promise<never> => {
  const row = await selectVersions(tx, sourceId).where('source_schemas.version', '=', current).executeTakeFirstOrThrow()
  const author = authorName(row)
  throw conflict(
    'SCHEMA_CHANGED',
    `${author ?? 'Somebody'} changed this schema since you opened it. Load it again and repeat your change.`,
    { version: String(current), author: author ?? '', time: row.create_time.toISOString() },
  )
}

/**
 * Stores the next version of a source's schema and returns its number. Returns undefined if the schema stays the same.
 * The source must be locked, and the caller must give it the new number. A complete schema that is based on an older
 * version is refused with 409. A change of one property keeps everything else, and is never refused.
 */
export const writeSchemaChange = async (
  tx: Tx,
  source: { id: string; schema_version: number },
  { wanted, place, basedOn, change }: SchemaChange,
  by: { authorId: string; time: Date },
): Promise<number | undefined> => {
  const row = await tx
    .selectFrom('source_schemas')
    .select('schema')
    .where('source_id', '=', source.id)
    .where('version', '=', source.schema_version)
    .executeTakeFirstOrThrow()
  const current = readStored(row.schema)
  const stored = refusingSchema(() =>
    toStored(place === undefined ? wanted : mergeProperty(current.schema, wanted, place)),
  )
  if (isSameSchema(stored, current)) return undefined
  if (place === undefined && basedOn !== undefined && basedOn !== source.schema_version)
    return refuseStale(tx, source.id, source.schema_version)
  const version = source.schema_version + 1
  await insertSchemaVersion(tx, { sourceId: source.id, version, stored, change, ...by })
  return version
}
