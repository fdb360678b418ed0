import { ConfigurationError, type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import type { BigQuerySession } from './session.ts'
import type { BigQuerySettings } from './settings.ts'

const testTable = 'tributary_test'

type WithSession = <T>(
  context: DeliverContext<BigQuerySettings>,
  work: (session: BigQuerySession) => Promise<T>,
) => Promise<T>

/**
 * Creates the test of a connection: it tries by itself each thing that loads do, with a table that is removed again. The
 * words of Google name a permission that is missing.
 */
export const createTestConnection =
  (withSession: WithSession) =>
  (context: DeliverContext<BigQuerySettings>): Promise<ConnectionTest> =>
    testOf(() =>
      withSession(context, async ({ dialect, email, run, load }) => {
        const { project, dataset } = context.settings
        const table = dialect.table(testTable)
        const connected = `Connected to BigQuery in the project ${project} as ${email}.`
        const steps: [step: string, work: () => Promise<unknown>][] = [
          ['create a table', () => run(`CREATE TABLE IF NOT EXISTS ${table} (id STRING)`)],
          ['add a column', () => run(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS place STRING`)],
          ['load a row', () => load(testTable, JSON.stringify({ id: new Date(context.clock()).toISOString() }))],
          ['read', () => run(`SELECT count(*) FROM ${table}`)],
          ['list columns', () => run(dialect.listColumns())],
          ['delete rows', () => run(`DELETE FROM ${table} WHERE true`)],
          ['delete the table', () => run(`DROP TABLE IF EXISTS ${table}`)],
        ]
        for (const [step, work] of steps) {
          try {
            await work()
          } catch (error) {
            if (!(error instanceof ConfigurationError)) throw error
            return { ok: false, message: `Could not ${step} in the dataset ${dataset}: ${error.message}` }
          }
        }
        return {
          ok: true,
          message: `${connected} Each permission was tried on the table ${testTable}, which is removed again.`,
        }
      }),
    )
