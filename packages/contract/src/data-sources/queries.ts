import { z } from 'zod'
import { line, storableText } from '../api/fields.ts'

/** Limits of data sources and models. */
export const dataSourceLimits = {
  /** Data sources and models of a workspace. */
  dataSources: 100,
  models: 1000,
  /** Characters of a query. */
  sql: 65_535,
  /** Columns of a table or query. */
  columns: 2000,
  /** Columns of a primary key. */
  keyColumns: 20,
  /** Rows of a preview, and characters of a value in it. */
  previewRows: 100,
  previewCharacters: 1000,
  /** Bytes of a part of an upload. */
  uploadPart: 3 * 1024 * 1024,
  /** Maximum listed uploads of a data source. */
  uploads: 20,
} as const

/** The message for a query that the database does not understand. */
export const invalidQuery = 'Please verify that the SQL Query is valid.'

/** The message while the database cannot be reached, or refuses the account. */
export const unreachable =
  "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked."

/** Name of a schema, table or column, unchanged: databases allow any character in it. */
const identifier = storableText(300).min(1, 'Required')

/** The one table of a file. */
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

/** A column with the database's name of its type. */
export const dataColumn = z.object({ name: z.string(), type: z.string() })
export type DataColumn = z.infer<typeof dataColumn>

/** A column of a table. `in_key`: it belongs to the table's primary key. */
export const knownColumn = dataColumn.extend({ nullable: z.boolean(), in_key: z.boolean() })
export type KnownColumn = z.infer<typeof knownColumn>

/** Rows as texts in the order of the columns. */
export const dataPreview = z.object({
  columns: z.array(dataColumn),
  rows: z.array(z.array(z.string().nullable())),
  /** There are more rows than shown. */
  more: z.boolean(),
})
export type DataPreview = z.infer<typeof dataPreview>

/** The reasons why columns do not identify a row. */
export const keyCheck = z.object({
  rows: z.number().int(),
  /** Rows with a null in the key. */
  null_rows: z.number().int(),
  /** Keys that several rows have, and how many rows those are. */
  duplicate_keys: z.number().int(),
  duplicate_rows: z.number().int(),
})
export type KeyCheck = z.infer<typeof keyCheck>

/** `search` matches `schema.name`, in any letter case. */
export const tableSearch = line(200).default('')
