import { isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { DuckDb, DuckDbResult } from '../warehouse-testing/duckdb.ts'
import { isConflict, refuse, refuseStatement } from './testing-refusals.ts'
import { type FieldSchema, schemaOf } from './testing-rows.ts'
import { kindOf, toDuckDb } from './testing-translate.ts'

/** Where the stand-in's dataset is: a single region, for which jobs have to be named with their location. */
export const location = 'europe-west3'

/** Maximum characters of a statement (cloud.google.com/bigquery/quotas, "Maximum unresolved GoogleSQL query length"). */
const maxQuery = 1024 * 1024

/** A statement in the words of DuckDB, with its kind and its default dataset. */
export type Prepared = { statements: string[]; kind: string; dataset: string }

/** A value of a line as a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Replaces named parameters, which are texts. */
const withParameters = (statement: string, given: unknown): string => {
  let text = statement
  for (const parameter of Array.isArray(given) ? given : []) {
    const { name, parameterValue } = isJsonObject(parameter) ? parameter : {}
    const value = isJsonObject(parameterValue) ? String(parameterValue['value']) : ''
    text = text.replaceAll(`@${String(name)}`, () => literal(value))
  }
  return text
}

/** Reads, checks, and runs the statements and loads of a project. */
export const createStatements = (duck: DuckDb, project: string) => {
  const loads = new Map<string, number>()
  const prepared = async (query: JsonObject): Promise<Prepared> => {
    const { query: sql, useLegacySql, defaultDataset } = query
    if (typeof sql !== 'string') return refuse(400, 'required', 'Required parameter is missing: query')
    if (useLegacySql !== false) return refuse(400, 'invalidQuery', 'This peer knows no legacy SQL')
    if (sql.length > maxQuery) return refuse(400, 'invalid', 'The query is too large')
    const dataset = isJsonObject(defaultDataset) ? String(defaultDataset['datasetId']) : 'main'
    await duck
      .run(`use "${project}"."${dataset}"`)
      .catch(() =>
        refuse(404, 'notFound', `Not found: Dataset ${project}:${dataset} was not found in location ${location}`),
      )
    const { statements, count } = toDuckDb(sql)
    if (count === 0) return refuse(400, 'invalidQuery', 'Syntax error: Unexpected end of statement at [1:1]')
    const filled = statements.map((statement) => withParameters(statement, query['queryParameters']))
    return { statements: filled, kind: kindOf(sql, count), dataset }
  }
  /**
   * Runs statements one after the other. Statements outside of a transaction wait for each other in BigQuery, so they are
   * repeated after a conflict.
   */
  const execute = async ({ statements, kind, dataset }: Prepared): Promise<DuckDbResult> => {
    const connection = await duck.connect()
    try {
      await connection.run(`use "${project}"."${dataset}"`)
      let result: DuckDbResult = { columns: [], rows: [] }
      for (const statement of statements)
        for (let tries = 0; ; tries++) {
          try {
            result = await connection.run(statement)
            break
          } catch (error) {
            if (kind === 'SCRIPT' || !isConflict(error) || tries > 20) throw error
            await new Promise(setImmediate)
          }
        }
      return result
    } catch (error) {
      await connection.run('rollback').catch(() => {})
      return refuseStatement(error, project)
    } finally {
      connection.close()
    }
  }
  const schemaFor = async (statement: string): Promise<FieldSchema[]> => {
    const columns = await duck.describe(statement).catch((error: unknown) => refuseStatement(error, project))
    const names = columns.map(({ name }) => name.toLowerCase())
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined)
      return refuse(
        400,
        'invalidQuery',
        `Duplicate column names in the result are not supported. Found duplicate(s): ${twice}`,
      )
    return columns.map(({ name, type }) => schemaOf(name, type))
  }
  /** Appends lines to a table. Members that are no columns are refused. */
  const load = async (given: JsonObject, lines: string, maxLoads: number): Promise<void> => {
    const { destinationTable, sourceFormat, writeDisposition, createDisposition } = given
    const { datasetId, tableId } = isJsonObject(destinationTable) ? destinationTable : {}
    const name = `"${project}"."${String(datasetId)}"."${String(tableId)}"`
    const count = (loads.get(name) ?? 0) + 1
    loads.set(name, count)
    if (count > maxLoads)
      return refuse(
        403,
        'quotaExceeded',
        'Quota exceeded: Your table exceeded quota for imports or query appends per table.',
      )
    if (
      sourceFormat !== 'NEWLINE_DELIMITED_JSON' ||
      writeDisposition !== 'WRITE_APPEND' ||
      createDisposition !== 'CREATE_NEVER'
    )
      return refuse(400, 'invalid', 'This peer knows appends of JSON only')
    const { columns } = await duck
      .run(`select * from ${name} limit 0`)
      .catch(() => refuse(404, 'notFound', `Not found: Table ${project}:${String(datasetId)}.${String(tableId)}`))
    const rows = lines.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    const known = new Set(columns.map((column) => column.name))
    const strange = rows.flatMap((row) => Object.keys(row)).find((key) => !known.has(key))
    if (strange !== undefined) return refuse(400, 'invalid', `JSON parsing error: No such field: ${strange}.`)
    const values = rows.map(
      (row) =>
        `(${columns.map(({ name: key }) => (row[key] === undefined || row[key] === null ? 'null' : literal(textOf(row[key])))).join(', ')})`,
    )
    await duck.run(`insert into ${name} values ${values.join(', ')}`)
  }
  return { prepared, execute, schemaFor, load }
}
