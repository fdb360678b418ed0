import { ConfigurationError, type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import { literal, quoted } from '../../wire/clickhouse/identifiers.ts'
import { withSession } from './session.ts'
import type { ClickhouseSettings } from './settings.ts'

const testTable = 'tributary_test'

/** Returns a statement for each privilege that loads need. Each leaves nothing behind when the last one has run. */
const statementsOf = (database: string): [privilege: string, statement: string][] => {
  const table = `${quoted(database)}.${quoted(testTable)}`
  const view = `${quoted(database)}.${quoted(`${testTable}_view`)}`
  return [
    ['CREATE TABLE', `CREATE TABLE IF NOT EXISTS ${table} (id String) ENGINE = MergeTree ORDER BY id`],
    ['ALTER TABLE', `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS place Nullable(String)`],
    ['INSERT', `INSERT INTO ${table} (id) VALUES ('test')`],
    ['SELECT', `SELECT count() FROM ${table}`],
    ['ALTER DELETE', `DELETE FROM ${table} WHERE id = 'test'`],
    ['CREATE VIEW', `CREATE OR REPLACE VIEW ${view} AS SELECT id FROM ${table}`],
    ['DROP VIEW', `DROP VIEW IF EXISTS ${view}`],
    ['DROP TABLE', `DROP TABLE IF EXISTS ${table}`],
  ]
}

/** Connects, and tries each privilege on the database by itself, with a table that is removed again. */
export const testConnection = (context: DeliverContext<ClickhouseSettings>): Promise<ConnectionTest> =>
  testOf(() =>
    withSession(context, async ({ run }) => {
      const { database } = context.settings
      const [[version, account, found] = []] = await run(
        `SELECT version(), currentUser(), (SELECT count() FROM system.databases WHERE name = ${literal(database)})`,
      )
      const connected = `Connected to ClickHouse ${version} as ${account}.`
      if (found === '0') return { ok: false, message: `${connected} The database ${database} does not exist.` }
      const missing: string[] = []
      for (const [privilege, statement] of statementsOf(database)) {
        try {
          await run(statement)
        } catch (error) {
          if (!(error instanceof ConfigurationError) || !error.message.includes('privilege')) throw error
          missing.push(privilege)
        }
      }
      return missing.length === 0
        ? {
            ok: true,
            message: `${connected} Each privilege was tried on the table ${testTable}, which is removed again.`,
          }
        : { ok: false, message: `${connected} The user lacks ${missing.join(', ')}; see the setup guide.` }
    }),
  )
