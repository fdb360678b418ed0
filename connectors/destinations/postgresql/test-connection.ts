import {
  type ConnectionTest,
  type DeliverContext,
  DeliveryError,
  type SettingObjections,
  testOf,
} from '@tributary/connector-kit'
import { useSession } from './session.ts'
import type { PostgresqlSettings } from './settings.ts'
import { verifyStatement } from './statement.ts'

type Answer = { version: string; account: string; exists: boolean; may_use: boolean; may_make_schema: boolean }

const question = `select current_setting('server_version') as version, current_user as account,
  exists (select from pg_namespace where nspname = $1) as exists,
  coalesce((select has_schema_privilege(oid, 'usage') and has_schema_privilege(oid, 'create')
              from pg_namespace where nspname = $1), false) as may_use,
  has_database_privilege(current_database(), 'create') as may_make_schema`

const verdict = (schema: string, { version, account, exists, may_use, may_make_schema }: Answer): ConnectionTest => {
  const connected = `Connected to PostgreSQL ${version.split(' ')[0]} as ${account}.`
  if (exists && may_use) return { ok: true, message: `${connected} Tables can be created in the schema ${schema}.` }
  if (exists)
    return {
      ok: false,
      message: `${connected} The user needs the privileges USAGE and CREATE on the schema ${schema}.`,
    }
  if (may_make_schema)
    return { ok: true, message: `${connected} The schema ${schema} will be created when the first event arrives.` }
  return { ok: false, message: `${connected} The schema ${schema} does not exist, and the user can't create it.` }
}

/** Connects, and checks whether the user can create tables in the schema. Changes nothing. */
export const testConnection = (context: DeliverContext<PostgresqlSettings>): Promise<ConnectionTest> =>
  testOf(() =>
    useSession(context, async ({ client }) => {
      const schema = context.settings.schema
      const { rows } = await client.query<Answer>(question, [schema])
      const [answer] = rows
      return answer === undefined ? { ok: false, message: 'The server does not respond.' } : verdict(schema, answer)
    }),
  )

/** Makes the server parse the custom statement if it is about to be saved. */
export const verifySettings = async (
  context: DeliverContext<PostgresqlSettings>,
  names: readonly string[],
): Promise<SettingObjections> => {
  const { statement } = context.settings
  if (!names.includes('statement') || statement === undefined) return {}
  try {
    const objection = await useSession(context, ({ client }) => verifyStatement(client, statement))
    return objection === undefined ? {} : { statement: objection }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return {
      statement: { message: `The query can't be verified because the database is not reachable: ${error.message}` },
    }
  }
}
