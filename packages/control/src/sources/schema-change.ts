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

/** A requested change of a schema: all of it as sent, or only one property. */
export type SchemaChange = {
  wanted: SourceSchema
  /** The one property to take over. */
  place: PropertyPlace | undefined
  /** The version that the change was made on. */
  basedOn: number | undefined
  change: (typeof schemaChanges)[number]
}

/** The change that a call asks for. Throws 400 VALIDATION that names `schema` or `propertyId`. */
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

/** Refuses a change that was made on an older version, saying who made the newer one and when. */
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
 * Stores the next version of a source's schema and returns its number, or undefined if nothing changes. The source must
 * be locked, and must then get that number. A complete schema that is based on an older version is refused with 409. A
 * change of one property never is, and keeps everything else.
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
