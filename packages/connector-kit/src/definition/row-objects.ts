import type { SyncMode } from '@tributary/contract'

/** A kind of object to which syncs write rows, such as tables. */
export type RowObjectDefinition = {
  /** snake_case, stable. */
  name: string
  /** Title in the singular if users name the object, such as `Table`, otherwise in the plural. */
  title: string
  /** One sentence. */
  description: string
  /** Modes that `deliverRows` implements, at least one. */
  syncModes: readonly SyncMode[]
  /** False if the destination has exactly one such object, such as the contacts of a CRM. Users then enter no name. */
  named?: false
  /** Whether `listKeys` can list the keys of the object. */
  listable?: true
  /**
   * Names that users cannot choose, because rows of objects with these names have another meaning for the destination.
   */
  reserved?: readonly string[]
  /** The object name in rows, from the name that the user chose and the field that identifies records. */
  address: (given: { name: string; identifier: string }) => string
}

/**
 * Type of a row field, as its data source reports it: 64-bit integers, numbers, times, and so on; `any` if only the
 * values show the type.
 */
export type RowColumn = {
  name: string
  kind: 'integer' | 'number' | 'flag' | 'bool' | 'json' | 'time' | 'text' | 'any'
}

/**
 * Patterns that `plainKeys` returns if every key, or no key, equals only itself. `noKey` matches only an empty text,
 * and no key is empty.
 */
export const everyKey = '^'
export const noKey = '$^'

/** A field of the records of an object, as the destination describes it. */
export type RowField = {
  name: string
  /** Name of the field for users of the destination. */
  label: string
  /** The type as the destination names it; '' if unknown. */
  type: string
  /** Whether a new record must have a value in this field. */
  required: boolean
  /** Whether no two records have the same value, so that the field can identify records. */
  unique: boolean
  /** The accepted values; empty if any value is accepted. */
  options: readonly { value: string; label: string }[]
}

/** The destination's description of an object to which rows are written. */
export type RowObjectDetail = {
  /** The fields of the object; empty if the destination has no list of fields. */
  fields: readonly RowField[]
  /** Further facts for users, such as how many people were matched. */
  facts: readonly { title: string; value: string }[]
}
