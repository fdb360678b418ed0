import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'

/** The screens of data sources: an empty list, the catalog, and the form. */
export const dataSourceScreens: Screen[] = [
  {
    name: 'data-sources-empty',
    path: ({ filled }) => `/${filled.workspace}/dataSources`,
    ready: settled,
  },
  {
    name: 'data-sources-error',
    path: ({ filled }) => `/${filled.workspace}/dataSources`,
    prepare: failing(/\/api\/workspaces\/[^/]+\/dataSources$/),
    expectsFailedCalls: true,
    ready: settled,
  },
  {
    name: 'data-source-catalog',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources`,
    ready: settled,
  },
  {
    name: 'new-data-source',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/postgresql/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-mysql',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/mysql/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-clickhouse',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/clickhouse/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-bigquery',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/bigquery/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-file',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/file/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-file-url',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/file-url/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-profiles',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/profiles/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-s3',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/s3/new`,
    ready: settled,
  },
  {
    name: 'new-data-source-google-sheets',
    path: ({ filled }) => `/${filled.workspace}/catalog-data-sources/google-sheets/new`,
    ready: settled,
  },
]
