import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, reference, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { guideStep } from '../rules/catalog.ts'
import { newSettingValue, setting, settingOption, settingsInput } from '../rules/settings.ts'
import { genericTitle } from '../rules/value-rules.ts'
import {
  dataColumn,
  dataPreview,
  dataQuery,
  dataTable,
  keyCheck,
  knownColumn,
  primaryKey,
  tableSearch,
} from './queries.ts'

/** A kind of data source as the list shows it. */
export const listedCatalogDataSource = z.object({
  /** `catalogDataSources/{slug}`. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
  docs_url: z.string(),
  /** Whether the rows come from a file: one table without SQL. */
  file: z.boolean(),
  /** Whether users upload the file. */
  upload: z.boolean(),
  /** Whether the tables are the workspace's own audiences and profiles, without SQL. */
  people: z.boolean(),
  extra: z.object({ app_icon: z.string() }),
})
export type ListedCatalogDataSource = z.infer<typeof listedCatalogDataSource>

export const catalogDataSource = listedCatalogDataSource.extend({
  settings: z.array(settingOption),
  guide: z.array(guideStep),
})
export type CatalogDataSource = z.infer<typeof catalogDataSource>

/** A company's database from which models are read. */
export const dataSource = z.object({
  /** `workspaces/{id}/dataSources/{id}`. */
  name: z.string(),
  title: z.string(),
  app: listedCatalogDataSource,
  settings: z.array(setting),
  model_count: z.number().int(),
  create_time: time,
  update_time: time,
})
export type DataSource = z.infer<typeof dataSource>

const unreadableSecrets = {
  code: 409,
  reason: 'SECRETS_UNREADABLE',
  when: 'Its secrets were encrypted with another secret key.',
}

/** The errors of every call that queries the database. */
const askingErrors = [
  errors.invalid,
  errors.forbidden,
  errors.notFound,
  unreadableSecrets,
  {
    code: 412,
    reason: 'DATA_SOURCE_UNREACHABLE',
    when: 'The database cannot be reached, or refuses the account; metadata.detail says why.',
  },
  {
    code: 429,
    reason: 'WORKSPACE_BUSY',
    when: 'Too many calls of this workspace wait for databases. Try again when one of them has ended.',
  },
  errors.unavailable,
] as const

/** The errors of calls that have a table or an SQL query: those of every call, and errors of the query. */
export const dataQueryErrors = [
  ...askingErrors,
  {
    code: 409,
    reason: 'AUDIENCE_NOT_READY',
    when: 'The audience that is read failed or has not been computed yet; the message says why.',
  },
  {
    code: 400,
    reason: 'QUERY_REFUSED',
    when: "The database refuses the query, or did not finish it in time; metadata.detail has the database's words.",
  },
] as const

export const catalogDataSources = {
  list: defineMethod({
    name: 'catalogDataSources.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogDataSources',
    access: workspaceMembers,
    summary: 'Lists the kinds of databases that models can be read from.',
    query: pageQuery,
    response: z.object({ catalog_data_sources: z.array(listedCatalogDataSource), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'catalogDataSources.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogDataSources/{app}',
    access: workspaceMembers,
    summary: 'Gets a kind of data source with its settings and setup guide.',
    response: catalogDataSource,
    errors: [errors.notFound],
  }),
}

export const dataSources = {
  list: defineMethod({
    name: 'dataSources.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/dataSources',
    access: workspaceMembers,
    summary: 'Lists the data sources of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ data_sources: z.array(dataSource), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'dataSources.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/dataSources/{data_source}',
    access: workspaceMembers,
    summary: 'Gets a data source with its settings. Secret values are never returned.',
    response: dataSource,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'dataSources.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources',
    access: workspaceEditors,
    summary: 'Creates a data source from a catalog entry (`app.name` is `catalogDataSources/{slug}`).',
    request: z.object({
      title: genericTitle,
      app: z.object({ name: reference }),
      settings: settingsInput.default({}),
      request_id: requestId,
    }),
    response: dataSource,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'A field is invalid; metadata names it, a setting as `settings.{name}`.',
      },
      errors.forbidden,
      errors.notFound,
    ],
  }),
  update: defineMethod({
    name: 'dataSources.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/dataSources/{data_source}',
    access: workspaceEditors,
    summary: 'Changes the title of a data source.',
    query: maskQuery,
    request: z.object({ title: genericTitle.optional() }),
    response: dataSource,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'dataSources.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/dataSources/{data_source}',
    access: workspaceEditors,
    summary: 'Deletes a data source with its secrets and its models. Nothing changes in the database itself.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  updateSetting: defineMethod({
    name: 'dataSources.updateSetting',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}:updateSetting',
    access: workspaceEditors,
    summary:
      "Updates one setting; null resets it to its default. To change where secrets are sent (the secret's `sent_to`), pass the secrets again in `secrets`.",
    request: z.object({
      name: line(100).min(1, 'Required'),
      value: newSettingValue,
      /** Secrets by name, entered again; null removes a secret. */
      secrets: settingsInput.default({}),
    }),
    response: dataSource,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'The setting is unknown or its value is invalid; see metadata.value. A secret that must be entered again is named `secrets.{name}`.',
      },
      errors.forbidden,
      errors.notFound,
      unreadableSecrets,
    ],
  }),
  testConnection: defineMethod({
    name: 'dataSources.testConnection',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}:testConnection',
    access: workspaceEditors,
    places: 'abroad',
    summary: "Tests a data source's address and credentials without reading a table.",
    request: z.object({}),
    response: z.object({ ok: z.boolean(), message: z.string(), latency_ms: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, unreadableSecrets, errors.tooMany, errors.unavailable],
  }),
  listTables: defineMethod({
    name: 'dataSources.listTables',
    verb: 'GET',
    path: '/workspaces/{workspace}/dataSources/{data_source}/tables',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Lists the tables and views that the account may read, by schema and name.',
    query: pageQuery.extend({ search: tableSearch }),
    response: z.object({ tables: z.array(dataTable), next_page_token: nextPageToken }),
    errors: askingErrors,
  }),
  getTable: defineMethod({
    name: 'dataSources.getTable',
    verb: 'GET',
    path: '/workspaces/{workspace}/dataSources/{data_source}/table',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Gets the columns of a table that the account may read.',
    query: z.object({ schema: line(300).min(1, 'Required'), table: line(300).min(1, 'Required') }),
    response: z.object({ columns: z.array(knownColumn) }),
    errors: askingErrors,
  }),
  preview: defineMethod({
    name: 'dataSources.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}:preview',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Reads the first 100 rows of a table or query. Long values are cut at 1,000 characters.',
    request: z.object({ query: dataQuery }),
    response: dataPreview,
    errors: dataQueryErrors,
  }),
  validate: defineMethod({
    name: 'dataSources.validate',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}:validate',
    access: workspaceEditors,
    places: 'abroad',
    reads: true,
    summary: 'Has the database read and plan a query without running it, and tells the columns it has.',
    request: z.object({ query: dataQuery }),
    response: z.object({ columns: z.array(dataColumn) }),
    errors: dataQueryErrors,
  }),
  checkKey: defineMethod({
    name: 'dataSources.checkKey',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}:checkKey',
    access: workspaceEditors,
    places: 'abroad',
    reads: true,
    summary: 'Counts nulls and duplicates in the columns that are to tell the rows of a query apart.',
    request: z.object({ query: dataQuery, primary_key: primaryKey }),
    response: keyCheck,
    errors: dataQueryErrors,
  }),
}
