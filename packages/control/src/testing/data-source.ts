import { readFile } from 'node:fs/promises'
import {
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceDefinition,
  type DataSourceSession,
  defineSettings,
  fileTable,
  RetryableError,
  setting,
  settingText,
} from '@tributary/connector-kit'

/**
 * A session that was opened with the scripted database, with its settings. The host in the settings decides how the
 * database responds.
 */
export type Opened = { context: DataSourceContext; closed: boolean }

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'email', type: 'text' },
]

/**
 * Makes a scripted database with one table, `public.customers`. The host `away` cannot be reached; the host `slow`
 * responds when `release` resolves. A query that contains `wrong` is refused. Each opened session is added to `opened`.
 */
export const scriptedDataSource = (
  options: { rows?: readonly DataRow[]; opened?: Opened[]; release?: Promise<void> } = {},
): DataSourceDefinition => {
  const { rows = [['1', 'ada@example.com']], opened = [], release } = options
  const session = (entry: Opened): DataSourceSession => {
    const describe: DataSourceSession['describe'] = async (query) => {
      if ('sql' in query && query.sql.includes('wrong')) throw new DataQueryError('Line 1: no such thing (42P01)')
      return columns
    }
    return {
      about: async () => 'Connected.',
      listTables: async ({ search, offset, limit }) =>
        [{ schema: 'public', name: 'customers', kind: 'table' as const, rows: 1 }]
          .filter(({ schema, name }) => `${schema}.${name}`.includes(search))
          .slice(offset, offset + limit),
      listColumns: async ({ table }) =>
        table === 'customers'
          ? columns.map((column) => ({ ...column, nullable: false, in_key: column.name === 'id' }))
          : [],
      describe,
      async *read(_, limit) {
        yield rows.slice(0, limit)
      },
      checkKey: async () => ({ rows: rows.length, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }),
      [Symbol.asyncDispose]: async () => {
        entry.closed = true
      },
    }
  }
  return {
    slug: 'database',
    title: 'Database',
    description: 'For tests.',
    docs: {
      url: 'https://docs.example/database',
      steps: [{ title: 'Grant', text: 'Reading.', code: 'GRANT', language: 'sql' }],
    },
    settings: defineSettings({
      host: setting.text({ label: 'Host', help: '', required: true }),
      user: setting.text({ label: 'User', help: '', required: true }),
      password: setting.secret({ label: 'Password', help: '', sentTo: [{ setting: 'host', by: 'value' }] }),
    }),
    open: async (context) => {
      const { host } = context.settings
      if (host === 'away')
        throw new RetryableError(`Connection refused for ${settingText(context.settings, 'password')}`)
      const entry: Opened = { context, closed: false }
      opened.push(entry)
      if (host === 'slow') await release
      return session(entry)
    },
  }
}

/** The data source in the catalog of the tests. */
export const testDataSource = scriptedDataSource()

/**
 * A data source for uploaded files. The first line of a file has the columns, separated by commas. A file with the line
 * `broken` is broken.
 */
export const testUploadSource: DataSourceDefinition = {
  slug: 'upload',
  title: 'Upload',
  description: 'For tests.',
  file: true,
  upload: true,
  docs: { url: 'https://docs.example/upload', steps: [{ title: 'Upload', text: 'A file.' }] },
  settings: defineSettings({ header: setting.toggle({ label: 'Header', help: '', default: true }) }),
  open: async ({ upload }) => {
    if (upload === undefined) throw new DataQueryError('No file has been uploaded yet')
    const lines = (await readFile(upload.path, 'utf8')).split('\n')
    const broken = lines.indexOf('broken')
    if (broken !== -1) throw new DataQueryError(`Line ${broken + 1} is broken`)
    const [head = [], ...rows] = lines.map((line) => line.split(','))
    const found = head.map((name) => ({ name, type: 'text' }))
    return {
      about: async () => 'A file.',
      listTables: async () => [{ ...fileTable, kind: 'table' as const, rows: rows.length }],
      listColumns: async () => [],
      describe: async () => upload.scan?.columns ?? found,
      async *read() {
        yield rows
      },
      checkKey: async () => ({ rows: rows.length, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }),
      [Symbol.asyncDispose]: async () => {},
    }
  },
}
