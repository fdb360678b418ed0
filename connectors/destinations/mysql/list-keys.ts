import type { DeliverContext } from '@tributary/connector-kit'
import { keyCharacters, keysOfPage, listPages, requirePlainKey } from '../../wire/access/list-keys.ts'
import { tableOf } from '../../wire/access/table-object.ts'
import { ask, textsOf } from '../../wire/mysql/ask.ts'
import { quoted } from '../../wire/mysql/identifiers.ts'
import { useSession } from './session.ts'
import type { MysqlSettings } from './settings.ts'
import { statementMs } from './tables.ts'

/** Lists the keys of a table in order, page by page. */
export const listKeys = (
  context: DeliverContext<MysqlSettings>,
  object: string,
  onKeys: (keys: readonly string[]) => Promise<void>,
): Promise<void> =>
  useSession(context, async ({ guarded, tables }) => {
    const keyed = tableOf(object)
    tables.forget()
    const table = keyed && (await tables.find(keyed.table))
    if (keyed === undefined || table === undefined) return
    const type = table.columns.get(keyed.key)?.type
    requirePlainKey(keyed, type)
    // A number that is compared with a text would be compared as a double.
    const literalOf = /int|decimal/.test(type ?? '') ? String : (text: string) => guarded.connection.escape(text)
    const key = quoted(keyed.key)
    await listPages(async (last) => {
      const behind = last === undefined ? '' : `and ${key} > ${literalOf(last)}`
      const { rows } = await ask(
        guarded,
        `select ${key} from ${quoted(keyed.table)}
          where ${key} is not null and char_length(${key}) <= ${keyCharacters} ${behind} order by ${key} limit ${keysOfPage}`,
        statementMs,
      )
      return rows.map((row) => textsOf(row)[0] ?? '')
    }, onKeys)
  })
