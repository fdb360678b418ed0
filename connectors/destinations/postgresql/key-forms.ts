import { type DeliverContext, everyKey, noKey, parseExactJson } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { integerKeys, splitByFault, uuidKeys } from '../../wire/access/key-forms.ts'
import { type KeyedTable, tableOf } from '../../wire/access/table-object.ts'
import { faultOf, stateOf } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { useSession } from './session.ts'
import type { PostgresqlSettings } from './settings.ts'
import { fitTo, safeJson } from './values.ts'

type KeyColumn = { type: string; length: number; isDeterministic: boolean }

/**
 * Reads how the key column of a table compares texts; undefined if the table or column does not exist. Servers before
 * version 12 have only one way.
 */
const findKeyColumn = async (
  client: Client,
  schema: string,
  { table, key }: KeyedTable,
): Promise<KeyColumn | undefined> => {
  const { rows } = await client.query<KeyColumn>(
    `select format_type(a.atttypid, null) as type, a.atttypmod as length,
        coalesce(to_jsonb(l) ->> 'collisdeterministic' <> 'false', true) as "isDeterministic"
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       left join pg_collation l on l.oid = a.attcollation
      where n.nspname = $1 and c.relname = $2 and a.attname = $3 and a.attnum > 0 and not a.attisdropped`,
    [schema, table, key],
  )
  return rows[0]
}

const integers = ['smallint', 'integer', 'bigint']

const plainKeysOf = ({ type, length, isDeterministic }: KeyColumn): string => {
  if (integers.includes(type)) return integerKeys
  if (type === 'uuid') return uuidKeys
  if (!isDeterministic || (type !== 'text' && type !== 'character varying')) return noKey
  // Spaces beyond the length of a column are removed.
  return length === -1 ? everyKey : '[^ ]$'
}

/** Whether the column can treat two keys as equal that are read as different texts. */
export const keysReadApart = async (client: Client, schema: string, keyed: KeyedTable): Promise<boolean> => {
  const column = await findKeyColumn(client, schema, keyed)
  return column !== undefined && plainKeysOf(column) === noKey
}

/**
 * Returns an expression that is equal for two values exactly if the database treats them as equal. A type without a
 * hash function is compared as text.
 */
const asHash = (key: string): string =>
  `hash_array_extended(array[${key}], 0)::text || ' ' || hash_array_extended(array[${key}], 1)::text`
const asText = (key: string): string => `${key}::text`

const ask = async (
  { client }: { client: Client },
  { schema, keyed, expression }: { schema: string; keyed: KeyedTable; expression: (key: string) => string },
  values: readonly unknown[],
): Promise<string[]> => {
  const { rows } = await client.query<{ form: string }>(
    `select ${expression(`given.${quoted(keyed.key)}`)} as form
       from json_array_elements($1::json) with ordinality as element (value, place)
       cross join lateral json_populate_record(null::${quoted(schema)}.${quoted(keyed.table)}, element.value) as given
      order by place`,
    [safeJson(values.map((value) => ({ [keyed.key]: value })))],
  )
  return rows.map(({ form }) => form)
}

/** Returns the forms in which the database compares the keys of a table, with its own types and collations. */
export const keyForms = {
  plainKeys: (context: DeliverContext<PostgresqlSettings>, object: string): Promise<string> =>
    useSession(context, async ({ client }) => {
      const keyed = tableOf(object)
      const column = keyed && (await findKeyColumn(client, context.settings.schema, keyed))
      return column === undefined ? everyKey : plainKeysOf(column)
    }),
  /** Returns the form of each key. A key that the column refuses is equal to no other key. */
  formsOf: (
    context: DeliverContext<PostgresqlSettings>,
    object: string,
    keys: readonly string[],
  ): Promise<readonly string[]> =>
    useSession(context, async (session) => {
      const keyed = tableOf(object)
      const { schema } = context.settings
      const column = keyed && (await findKeyColumn(session.client, schema, keyed))
      if (keyed === undefined || column === undefined) return keys
      const isPlain = plainKeysOf(column) !== noKey
      let expression = isPlain ? asText : asHash
      return await splitByFault(keys, {
        fit: (key) => fitTo(column.type, parseExactJson(key))?.value,
        formsOf: async (values) => {
          try {
            return await ask(session, { schema, keyed, expression }, values)
          } catch (error) {
            // The server lacks the function, or the type has no hash.
            if (expression === asText || stateOf(error) !== '42883') throw error
            expression = asText
            return await ask(session, { schema, keyed, expression }, values)
          }
        },
        isOfKey: (error) => faultOf(stateOf(error)) === 'row',
      })
    }),
}
