import {
  ownerOf,
  type PropertyPlace,
  placeOfId,
  pointerNames,
  propertyAt,
  type SourceSchema,
} from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { ownerIdOf } from './schema-owner.tsx'

/** The event or property that a link to the schema names, and whether the schema has it. */
export type SchemaPlace = {
  /** JSON Pointer of the event or property. */
  readonly id: string
  /** JSON Pointer of the event, or of the user. */
  readonly owner: string
  readonly event: string | undefined
  readonly place: PropertyPlace | undefined
  readonly isKnown: boolean
}

/** Parses the JSON Pointer of a link into a schema; undefined if it names neither an event nor a property. */
export const schemaPlace = (schema: SourceSchema, id: string | null): SchemaPlace | undefined => {
  if (id === null) return undefined
  const place = placeOfId(id)
  if (place !== undefined)
    return {
      id,
      owner: ownerIdOf(place.event),
      event: place.event,
      place,
      isKnown: propertyAt(schema, place) !== undefined,
    }
  const [root, event, ...rest] = pointerNames(id) ?? []
  const isUser = root === 'user' && event === undefined
  if (!isUser && (root !== 'events' || event === undefined || event === '' || rest.length > 0)) return undefined
  return { id, owner: ownerIdOf(event), event, place: undefined, isKnown: ownerOf(schema, event) !== undefined }
}

/** The state of a link into the schema that opens the dialog for the missing name. */
export const adding = { adding: true } as const

/** Whether a location was reached by a link with `adding`. */
export const isAdding = (state: unknown): boolean => isRecord(state) && 'adding' in state
