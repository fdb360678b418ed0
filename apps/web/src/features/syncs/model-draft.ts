import { type DataQuery, dataSourceLimits, genericTitle, type Model, peopleTables } from '@tributary/contract'
import { ApiError } from '../../lib/api/errors.ts'
import type { TableName } from './table-browser.tsx'

/** The entered values of a model. */
export type ModelInput = { title: string; query: DataQuery; primary_key: string[] }

/** The entered values of a model: both kinds of query stay while the user switches between them. */
export type ModelDraft = {
  title: string
  kind: 'table' | 'sql'
  table: TableName | undefined
  sql: string
  key: readonly string[]
}

/** The draft of a new model, with the table that was chosen before, if any. */
export const newDraft = (table: TableName | undefined): ModelDraft => ({
  title: table?.title ?? table?.name ?? '',
  kind: 'table',
  table,
  sql: '',
  key: [],
})

const isAllProfiles = (schema: string): boolean => schema === peopleTables.profiles.schema

/** Returns the title of a model of a table. If the name of the table is an ID, returns the title behind it. */
const titleOf = ({ schema }: { schema: string }, audience: Model['audience']): { title?: string } =>
  audience !== null ? { title: audience.title } : isAllProfiles(schema) ? { title: 'All profiles' } : {}

/** The draft of a saved model. */
export const draftOf = ({ title, query, audience, primary_key }: Model): ModelDraft =>
  'sql' in query
    ? { title, kind: 'sql', table: undefined, sql: query.sql, key: primary_key }
    : {
        title,
        kind: 'table',
        table: { schema: query.schema, name: query.table, ...titleOf(query, audience) },
        sql: '',
        key: primary_key,
      }

/** Whether a model is an audience or all profiles. */
export const isOfPeople = ({ query, audience }: Model): boolean =>
  audience !== null || ('schema' in query && isAllProfiles(query.schema))

/** The query for the database; undefined while it is incomplete. */
export const queryOf = ({ kind, table, sql }: ModelDraft): DataQuery | undefined => {
  if (kind === 'sql') return sql.trim() === '' ? undefined : { sql }
  return table === undefined ? undefined : { schema: table.schema, table: table.name }
}

/** The error of a field, with the message of the database if there is one. */
export type DraftProblems = Partial<Record<'title' | 'query' | 'key', { message: string; detail?: string }>>

/** The errors of a draft. */
export const problemsOf = (draft: ModelDraft): DraftProblems => {
  const title = genericTitle.safeParse(draft.title)
  return {
    ...(title.success ? {} : { title: { message: title.error.issues[0]?.message ?? 'Required' } }),
    ...(queryOf(draft) === undefined
      ? { query: { message: draft.kind === 'sql' ? 'Required' : 'Choose a table' } }
      : draft.sql.length > dataSourceLimits.sql
        ? { query: { message: `At most ${dataSourceLimits.sql} characters` } }
        : {}),
    ...(draft.key.length === 0 ? { key: { message: 'Choose at least one column' } } : {}),
  }
}

/** The model of a complete draft; undefined while it has errors. */
export const inputOf = (draft: ModelDraft): ModelInput | undefined => {
  const query = queryOf(draft)
  if (query === undefined || Object.keys(problemsOf(draft)).length > 0) return undefined
  return { title: draft.title.trim(), query, primary_key: [...draft.key] }
}

/** Returns the errors of the server by field. Returns none for a failure of another kind, such as of the connection. */
export const refusalOf = (error: unknown): DraftProblems => {
  const { metadata = {} } = error instanceof ApiError ? error.body : {}
  const { title, query, primary_key, detail } = metadata
  return {
    ...(title === undefined ? {} : { title: { message: title } }),
    ...(query === undefined ? {} : { query: { message: query, ...(detail === undefined ? {} : { detail }) } }),
    ...(primary_key === undefined ? {} : { key: { message: primary_key } }),
  }
}

/** Describes why the database did not respond, with its own message. */
export const failureWords = (error: unknown): string => {
  const detail = error instanceof ApiError ? error.body.metadata?.detail : undefined
  const message = error instanceof Error ? error.message : ''
  return detail === undefined ? message : `${message} ${detail}`
}
