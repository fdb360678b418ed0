import type { DeliverContext } from '@tributary/connector-kit'
import { keyCharacters, keysOfPage, listPages, requirePlainKey } from '../../wire/access/list-keys.ts'
import { tableOf } from '../../wire/access/table-object.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { useSession } from './session.ts'
import type { PostgresqlSettings } from './settings.ts'

/** Lists the keys of a table in order, page by page. */
export const listKeys = (
  context: DeliverContext<PostgresqlSettings>,
  object: string,
  onKeys: (keys: readonly string[]) => Promise<void>,
): Promise<void> =>
  useSession(context, async ({ client, tables }) => {
    const keyed = tableOf(object)
    tables.forget()
    const columns = keyed && (await tables.columns(keyed.table))
    if (keyed === undefined || columns === undefined) return
    requirePlainKey(keyed, columns.get(keyed.key))
    const { schema } = context.settings
    const key = quoted(keyed.key)
    await listPages(async (last) => {
      const { rows } = await client.query<{ key: string }>(
        `select ${key}::text as key from ${quoted(schema)}.${quoted(keyed.table)}
          where ${key} is not null and length(${key}::text) <= ${keyCharacters} ${last === undefined ? '' : `and ${key} > $1`}
          order by ${key} limit ${keysOfPage}`,
        last === undefined ? [] : [last],
      )
      return rows.map((row) => row.key)
    }, onKeys)
  })
