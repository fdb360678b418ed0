import { type ConnectionTest, type DeliverContext, testOf } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { stateOf } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { literal } from '../../wire/redshift/super.ts'
import { bucketOf, tryBucket } from './copy-rows.ts'
import { withClient } from './session.ts'
import type { RedshiftSettings } from './settings.ts'

const testTable = 'tributary_test'

/** Returns a statement for each privilege that loads need. Each leaves nothing behind when the last one has run. */
const statementsOf = (schema: string): [privilege: string, statement: string][] => {
  const table = `${quoted(schema)}.${quoted(testTable)}`
  return [
    ['CREATE on the schema', `create table if not exists ${table} (id varchar(10), extra super)`],
    ['ALTER', `alter table ${table} rename column extra to more`],
    ['INSERT', `insert into ${table} values ('test', json_parse('{"a":"b"}'))`],
    ['SELECT', `select more."a" from ${table}`],
    ['UPDATE', `update ${table} set more = null`],
    ['DELETE', `delete from ${table} where id = 'test'`],
    ['DROP', `drop table if exists ${table}`],
  ]
}

/** Returns the privileges that the account lacks: those whose statement Redshift refuses for that reason. */
const missingPrivileges = async (client: Client, schema: string): Promise<string[]> => {
  const missing: string[] = []
  await client.query(`drop table if exists ${quoted(schema)}.${quoted(testTable)}`)
  for (const [privilege, statement] of statementsOf(schema)) {
    try {
      await client.query(statement)
    } catch (error) {
      if (stateOf(error) !== '42501') throw error
      missing.push(privilege)
      if (missing.length === 1 && privilege.startsWith('CREATE')) break
    }
  }
  return missing
}

type Account = { version: string; account: string; found: string; may: string }

const accountStatement = (schema: string): string => `select version() as version, current_user as account,
  (select count(*) from pg_catalog.pg_namespace where nspname = ${literal(schema)})::varchar(9) as found,
  case when has_database_privilege(current_database(), 'create') then 'yes' else 'no' end as may`

/** Connects, and tries each privilege with a table that is removed again, and the bucket with an object. */
export const testConnection = (context: DeliverContext<RedshiftSettings>): Promise<ConnectionTest> =>
  testOf(async () => {
    const { schema } = context.settings
    const bucket = bucketOf(context.settings)
    if (bucket !== undefined) await tryBucket(context, bucket)
    return await withClient(context, async (client) => {
      const { rows } = await client.query<Account>(accountStatement(schema))
      const [account] = rows
      const connected = `Connected to Amazon Redshift as ${account?.account ?? ''}.`
      if (account?.found === '0')
        return account.may === 'yes'
          ? { ok: true, message: `${connected} The schema ${schema} will be created when the first event arrives.` }
          : { ok: false, message: `${connected} The schema ${schema} does not exist, and the user can't create it.` }
      const missing = await missingPrivileges(client, schema)
      if (missing.length > 0)
        return { ok: false, message: `${connected} The user lacks ${missing.join(', ')}; see the setup guide.` }
      const tried = `Each privilege was tried on the table ${testTable}, which is removed again.`
      const stored = bucket === undefined ? '' : ' An object was written to the bucket and deleted.'
      return { ok: true, message: `${connected} ${tried}${stored}` }
    })
  })
