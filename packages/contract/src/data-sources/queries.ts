import { z } from 'zod'
import { line, storableText } from '../api/fields.ts'

/** Limits of data sources and models. */
export const dataSourceLimits = {
  /** Maximum data sources of a workspace, and maximum models. */
  dataSources: 100,
  models: 1000,
  /** Maximum characters of an SQL query. */
  sql: 65_535,
  /** Maximum columns of a table or query. */
  columns: 2000,
  /** Maximum columns of a primary key. */
  keyColumns: 20,
  /** Maximum rows of a preview, and maximum characters of a value in a preview. */
  previewRows: 100,
  previewCharacters: 1000,
  /** Maximum bytes of a part of an upload. */
  uploadPart: 3 * 1024 * 1024,
  /** Maximum listed uploads of a data source. */
  uploads: 20,
} as const

/** The message for a query that the database does not understand. */
export const invalidQuery = 'Please verify that the SQL Query is valid.'

/** The message while the database cannot be reached, or refuses the account. */
export const unreachable =
  "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked."

/** Name of a schema, table or column, kept unchanged because databases allow any character. */
const identifier = storableText(300).min(1, 'Required')

/** Name of the only table of a file. */
export const fileTable = { schema: 'file', name: 'rows' } as const

/** The rows to read: those of a table, or of one read-only statement. */
export const dataQuery = z.union([
  z.object({
    sql: storableText(dataSourceLimits.sql).refine((text) => text.trim() !== '', 'Required'),
  }),
  z.object({ schema: identifier, table: identifier }),
])
export type DataQuery = z.infer<typeof dataQuery>

/** The columns that identify a row. */
export const primaryKey = z
  .array(identifier)
  .min(1, 'Choose at least one column')
  .max(dataSourceLimits.keyColumns, `At most ${dataSourceLimits.keyColumns} columns`)
  .refine((names) => new Set(names).size === names.length, 'Choose each column once')

/** The tables of audiences and profiles: each audience by its ID, and all profiles. */
export const peopleTables = { audiences: 'audiences', profiles: { schema: 'profiles', name: 'all' } } as const

/**
 * A table or a view; `rows` is the database's estimate, or null. `title` is the readable name of a table whose name is
 * an ID.
 */
export const dataTable = z.object({
  schema: z.string(),
  name: z.string(),
  title: z.string().optional(),
  kind: z.enum(['table', 'view']),
  rows: z.number().nullable(),
})
export type DataTable = z.infer<typeof dataTable>

/**
 * A column and its type, as the database names the type. `title` is the readable name of a column whose name has an ID.
 */
export const dataColumn = z.object({ name: z.string(), type: z.string(), title: z.string().optional() })
export type DataColumn = z.infer<typeof dataColumn>

/** A column of a table. `in_key` is true if the column belongs to the primary key. */
export const knownColumn = dataColumn.extend({ nullable: z.boolean(), in_key: z.boolean() })
export type KnownColumn = z.infer<typeof knownColumn>

/** Rows of a preview, with values as texts in the order of the columns. */
export const dataPreview = z.object({
  columns: z.array(dataColumn),
  rows: z.array(z.array(z.string().nullable())),
  /** Whether there are more rows than shown. */
  more: z.boolean(),
})
export type DataPreview = z.infer<typeof dataPreview>

/** The result of checking whether columns identify a row. They do if there are neither nulls nor duplicate keys. */
export const keyCheck = z.object({
  rows: z.number().int(),
  /** Number of rows with a null in the key. */
  null_rows: z.number().int(),
  /** Number of keys that several rows have, and number of those rows. */
  duplicate_keys: z.number().int(),
  duplicate_rows: z.number().int(),
})
export type KeyCheck = z.infer<typeof keyCheck>

/** Text that `schema.name` must contain, in any letter case. */
export const tableSearch = line(200).default('')
