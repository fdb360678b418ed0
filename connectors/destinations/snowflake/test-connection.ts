import { ConfigurationError, type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import type { WarehouseSession } from '../../wire/warehouse/dialect.ts'
import type { SnowflakeSettings } from './settings.ts'

const testTable = 'tributary_test'

/** Returns a statement for each thing that loads do. Nothing is left behind when the last one has run. */
const statementsOf = ({ dialect }: WarehouseSession): [action: string, statement: string][] => {
  const table = dialect.table(testTable)
  return [
    ['create a table', `CREATE TABLE IF NOT EXISTS ${table} ("ID" VARCHAR)`],
    ['insert rows', `INSERT INTO ${table} ("ID") VALUES ('test')`],
    ['read rows', `SELECT COUNT(*) FROM ${table}`],
    ['delete rows', `DELETE FROM ${table} WHERE "ID" = 'test'`],
    ['drop a table', `DROP TABLE IF EXISTS ${table}`],
  ]
}

const about =
  'SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE(), CURRENT_DATABASE(), CURRENT_SCHEMA()'

/** Connects, and tries by itself what loads do, with a table that is removed again. */
export const testConnection = (
  { settings }: Pick<DeliverContext<SnowflakeSettings>, 'settings'>,
  using: <T>(work: (session: WarehouseSession) => Promise<T>) => Promise<T>,
): Promise<ConnectionTest> =>
  testOf(() =>
    using(async (session) => {
      const [[version, user, role, ...places] = []] = await session.run(about)
      const connected = `Connected to Snowflake ${version} as ${user} with the role ${role}.`
      const names = [
        `warehouse ${settings.warehouse}`,
        `database ${settings.database}`,
        `schema ${settings.schema}`,
      ].filter((_, at) => (places[at] ?? null) === null)
      if (names.length > 0)
        return {
          ok: false,
          message: `${connected} The ${names.join(', the ')} does not exist, or the role has no USAGE on it.`,
        }
      for (const [action, statement] of statementsOf(session)) {
        try {
          await session.run(statement)
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error
          return { ok: false, message: `${connected} The role can’t ${action}; see the setup guide. ${error.message}` }
        }
      }
      return {
        ok: true,
        message: `${connected} What loads do was tried on the table ${testTable}, which is removed again.`,
      }
    }),
  )
