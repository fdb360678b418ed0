// Finds which files write which tables of PostgreSQL and of the event store, by the text of their statements.
import { globSync, readFileSync } from 'node:fs'
import { eventStoreMigrations } from '../packages/storage/src/event-store/migrate.ts'

/** A pattern of a table name, or of a value that is inserted into the text instead. */
const table = String.raw`(?:only\s+)?["'\`]?([a-z][a-z_]{3,}|\$\{)`
const statements = [
  // Calls of the query builder.
  String.raw`\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*(?:['"\`]([a-z_]+)|(?=[^'"\`\s]))`,
  // SQL statements of both stores.
  String.raw`\b(?:insert\s+into|update|delete\s+from|merge\s+into|copy|truncate(?:\s+table)?)\s+${table}`,
  // Statements of the event store that change rows. Its other `alter table` statements change no rows.
  String.raw`\balter\s+table\s+["'\`]?([a-z][a-z_]{3,}|\$\{[^}]*\})["'\`]?\s+(?:delete|update|drop\s+partition)\b`,
  // Inserts into the event store.
  String.raw`\b(?:eventStore|store)\s*\.insert\(\s*(?:['"\`]([a-z_]+)|(?=[^'"\`\s]))`,
].map((pattern) => new RegExp(pattern, 'g'))

const withoutComments = (text: string): string => text.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '')

/**
 * Returns the given tables that a source text writes. If a statement has no literal table name, all tables in bracketed
 * lists count as written. `isOpen` is true if there is no such list.
 */
export const tablesWrittenIn = (
  source: string,
  tables: ReadonlySet<string>,
): { written: Set<string>; isOpen: boolean } => {
  const text = withoutComments(source)
  const names = statements.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''))
  const withValue = names.some((name) => name === '' || name.startsWith('${'))
  const lists = withValue ? [...text.matchAll(/\[([^[\]]*)\]/g)].map(([, list = '']) => list) : []
  const listed = lists
    .flatMap((list) => [...list.matchAll(/'([a-z_]+)'/g)].map(([, name = '']) => name))
    .filter((name) => tables.has(name))
  const written = new Set([...names.filter((name) => tables.has(name)), ...listed])
  return { written, isOpen: withValue && listed.length === 0 }
}

const product = ['packages/*/src/**/*.ts', 'apps/server/src/**/*.ts']
const notProduct =
  /\.test\.ts$|\/testing\/|\/testing[^/]*\.ts$|conformance\.ts$|-process\.ts$|\/migrations\/|^packages\/test-kit\//

/**
 * Returns the packages that write each table, and the files whose statements name no table. Files in `skipped` are
 * ignored.
 */
export const readWriters = (
  tables: ReadonlySet<string>,
  skipped: ReadonlySet<string>,
): { writers: Map<string, Map<string, string[]>>; open: string[] } => {
  const writers = new Map([...tables].map((table) => [table, new Map<string, string[]>()]))
  const open: string[] = []
  for (const file of globSync(product, { exclude: (path) => path.includes('node_modules') }).sort()) {
    if (notProduct.test(file) || skipped.has(file)) continue
    const folder = file.split('/').slice(0, 2).join('/')
    const { written, isOpen } = tablesWrittenIn(readFileSync(file, 'utf8'), tables)
    if (isOpen) open.push(file)
    for (const table of written) {
      const files = writers.get(table)
      files?.set(folder, [...(files.get(folder) ?? []), file])
    }
  }
  return { writers, open }
}

const relationalTexts = (): string[] =>
  globSync('packages/storage/src/relational/migrations/**/*.ts').map((file) => readFileSync(file, 'utf8'))

/** Returns the tables that the migrations of a store create. */
export const readTables = (store: 'relational' | 'event-store'): Set<string> => {
  const texts =
    store === 'relational' ? relationalTexts() : eventStoreMigrations.flatMap(({ statements }) => statements)
  const namesIn = (pattern: RegExp): Set<string> =>
    new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))
  const dropped = namesIn(/\bdrop table (?:if exists )?([a-z_]+)/g)
  const created = namesIn(/\bcreate (?:unlogged )?table (?:if not exists )?([a-z_]+)/g)
  return new Set([...created].filter((name) => !dropped.has(name)))
}
