import type { SyncMode } from '@tributary/contract'

/** Something that syncs write rows to, such as tables. */
export type RowObjectDefinition = {
  /** snake_case, stable. */
  name: string
  /** In the singular where people name it, such as `Table`, else in the plural. */
  title: string
  /** One sentence. */
  description: string
  /** Modes that `deliverRows` implements, at least one. */
  syncModes: readonly SyncMode[]
  /** False: there is one of it, such as the contacts of a CRM, and people give it no name. */
  named?: false
  /** Whether `listKeys` can list it. */
  listable?: true
  /** Names that people cannot give it: rows of these objects are something else to the destination. */
  reserved?: readonly string[]
  /** The object that rows name, from the name that people chose and the field that identifies their records. */
  address: (given: { name: string; identifier: string }) => string
}

/**
 * Type of a field of rows, as its data source reports it: whole numbers of 64 bits, numbers, moments, and so on; `any`
 * where only the values show it.
 */
export type RowColumn = {
  name: string
  kind: 'integer' | 'number' | 'flag' | 'bool' | 'json' | 'time' | 'text' | 'any'
}

/** The patterns of `plainKeys` where every key, or none, is only the same as itself. No key is empty. */
export const everyKey = '^'
export const noKey = '$^'

/** A field of the records of an object, as its destination has it. */
export type RowField = {
  name: string
  /** Its name for people there. */
  label: string
  /** The destination's own word; '' without one. */
  type: string
  /** A new record cannot be without it. */
  required: boolean
  /** No two records have the same value, so that it can identify them. */
  unique: boolean
  /** The values that it takes; empty for any. */
  options: readonly { value: string; label: string }[]
}

/** The destination's description of an object that rows are written to. */
export type RowObjectDetail = {
  /** Empty when the destination has no list of fields. */
  fields: readonly RowField[]
  /** Further facts for people, such as how many people were matched. */
  facts: readonly { title: string; value: string }[]
}
