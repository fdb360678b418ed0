import { randomUUID } from 'node:crypto'
import { ConfigurationError, type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import { notAllowed } from '../../wire/databricks/failures.ts'
import { removeFile, volumePath, writeFile } from '../../wire/databricks/files.ts'
import { literal } from '../../wire/databricks/identifiers.ts'
import { filesVolume } from './dialect.ts'
import { type OriginOf, withSession } from './session.ts'
import type { DatabricksSettings } from './settings.ts'

const testTable = 'tributary_test'

/** A privilege, those without which it cannot be tried, and how it is tried. */
type Step = [privilege: string, needs: readonly string[], work: () => Promise<unknown>]

/** Connects, and tries each privilege on the schema by itself, with a table and a file that are removed again. */
export const testConnection = (
  context: DeliverContext<DatabricksSettings>,
  originOf: OriginOf,
): Promise<ConnectionTest> =>
  testOf(() =>
    withSession(context, originOf, async ({ run, dialect }, workspace) => {
      const { signal } = context
      const { catalog } = context.settings
      const schema = context.settings.schema.toLowerCase()
      const [[version, account] = []] = await run('SELECT current_version().dbsql_version, current_user()')
      const connected = `Connected to Databricks SQL ${version} as ${account}.`
      const [[found] = []] = await run(
        `SELECT count(*) FROM ${dialect.column(catalog)}.information_schema.schemata WHERE schema_name = ${literal(schema)}`,
      )
      if (found === '0')
        return {
          ok: false,
          message: `${connected} The schema ${schema} does not exist, or the account may not use it; see the setup guide.`,
        }
      const table = dialect.table(testTable)
      const path = `${volumePath(catalog, schema, filesVolume)}/${randomUUID()}.json`
      const readFile = `INSERT INTO ${table} (id) SELECT id FROM read_files(${literal(path)}, format => 'json', mode => 'FAILFAST', schema => 'id string')`
      const steps: Step[] = [
        ['CREATE TABLE', [], () => run(`CREATE TABLE IF NOT EXISTS ${table} (id string)`)],
        ['CREATE VOLUME', [], () => run(`CREATE VOLUME IF NOT EXISTS ${dialect.table(filesVolume)}`)],
        ['WRITE VOLUME', ['CREATE VOLUME'], () => writeFile(workspace, path, '{"id":"test"}\n', signal)],
        ['READ VOLUME', ['CREATE TABLE', 'CREATE VOLUME', 'WRITE VOLUME'], () => run(readFile)],
        ['WRITE VOLUME', ['CREATE VOLUME', 'WRITE VOLUME'], () => removeFile(workspace, path, signal)],
        ['SELECT', ['CREATE TABLE'], () => run(`SELECT count(*) FROM ${table}`)],
        ['MODIFY', ['CREATE TABLE'], () => run(`DELETE FROM ${table} WHERE id = 'test'`)],
        ['MANAGE', ['CREATE TABLE'], () => run(`DROP TABLE IF EXISTS ${table}`)],
      ]
      const missing = new Set<string>()
      for (const [privilege, needs, work] of steps) {
        if (needs.some((each) => missing.has(each))) continue
        try {
          await work()
        } catch (error) {
          if (!(error instanceof ConfigurationError) || !error.message.startsWith(notAllowed)) throw error
          missing.add(privilege)
        }
      }
      return missing.size === 0
        ? {
            ok: true,
            message: `${connected} Each privilege was tried on the table ${testTable} and a file, which are removed again.`,
          }
        : { ok: false, message: `${connected} The account lacks ${[...missing].join(', ')}; see the setup guide.` }
    }),
  )
