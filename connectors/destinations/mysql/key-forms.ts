import { type DeliverContext, everyKey, noKey, parseExactJson } from '@tributary/connector-kit'
import { integerKeys, splitByFault, uuidKeys } from '../../wire/access/key-forms.ts'
import { tableOf } from '../../wire/access/table-object.ts'
import { ask, textsOf } from '../../wire/mysql/ask.ts'
import type { GuardedConnection } from '../../wire/mysql/connect.ts'
import { isOfRow } from './in-transaction.ts'
import { type Session, useSession } from './session.ts'
import type { MysqlSettings } from './settings.ts'
import { statementMs } from './tables.ts'
import { type Column, fitTo, type Literal, literalText } from './values.ts'

const texts = ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum', 'set']
const integers = ['tinyint', 'smallint', 'mediumint', 'int', 'bigint']
const numbers = [...integers, 'decimal', 'float', 'double', 'bit']
const times = ['date', 'datetime', 'timestamp', 'time']

/** Whether a column's collation treats texts as equal only if each character is equal, including spaces at the end. */
const isExact = ({ type, collation = '' }: Column): boolean =>
  type !== 'char' && /_(?:nopad_|0900_)bin$/.test(collation)

/**
 * Names of collations in which a space at the end is significant. All other collations pad the shorter text with
 * spaces.
 */
const countsSpaces = /_nopad_|_0900_|^binary$/

const plainKeysOf = (column: Column): string => {
  if (integers.includes(column.type)) return integerKeys
  if (column.type === 'uuid') return uuidKeys
  return isExact(column) ? everyKey : noKey
}

/** Number of weights to which a text is padded with spaces for a comparison: more than any key has. */
const weights = 8192

/** Returns an SQL expression for the form in which the server compares a key. */
const formOf = (literal: string, { type, collation = '', characterSet = '', fraction = 0 }: Column): string => {
  if (times.includes(type)) {
    const wanted = type === 'timestamp' ? 'datetime' : type
    return `cast(cast(${literal} as ${wanted}${wanted === 'date' ? '' : `(${fraction})`}) as char)`
  }
  if (!texts.includes(type) || collation === '') return `cast(cast(${literal} as ${type}) as char)`
  const trimmed = type === 'char' ? `rtrim(${literal})` : literal
  const text = `convert(${trimmed} using ${characterSet}) collate ${collation}`
  return `sha1(weight_string(${countsSpaces.test(collation) ? text : `${text} as char(${weights})`}))`
}

/** Returns a number as digits, so that equal numbers have equal texts. */
const formOfNumber = ({ type }: Column, digits: string): string => {
  if (type === 'double') return String(Number(digits))
  if (type === 'float') return String(Math.fround(Number(digits)))
  return /^-0(?:\.0*)?$/.test(digits) ? '0' : digits
}

/** Returns the form of a key without a query; undefined if only the server can compute it. */
const ownForm = (column: Column, literal: Literal): string | undefined => {
  if (literal.kind === 'bytes') {
    const length = column.type === 'binary' ? (column.characters ?? 0) * 2 : 0
    return literal.hex.toLowerCase().padEnd(length, '0')
  }
  if (literal.kind === 'digits') return numbers.includes(column.type) ? formOfNumber(column, literal.digits) : undefined
  const asks = texts.includes(column.type) || times.includes(column.type) || /^(?:uuid|inet[46])$/.test(column.type)
  return asks ? undefined : literal.text
}

const askForms = async (
  guarded: GuardedConnection,
  column: Column,
  literals: readonly Literal[],
): Promise<readonly string[]> => {
  const forms = literals.map((literal) => ownForm(column, literal))
  const open = literals.flatMap((literal, place) =>
    forms[place] === undefined ? [`select ${place}, ${formOf(literalText(guarded, literal), column)}`] : [],
  )
  if (open.length > 0) {
    const { rows } = await ask(guarded, open.join(' union all '), statementMs)
    for (const row of rows) {
      const [place, form] = textsOf(row)
      forms[Number(place)] = form ?? undefined
    }
  }
  return forms.map((form, place) => form ?? `none ${place}`)
}

const findColumn = async ({ tables }: Session, object: string): Promise<Column | undefined> => {
  const keyed = tableOf(object)
  tables.forget()
  const table = keyed && (await tables.find(keyed.table))
  return keyed && table?.columns.get(keyed.key)
}

/** Returns the forms in which the database compares the keys of a table, with its own types and collations. */
export const keyForms = {
  plainKeys: (context: DeliverContext<MysqlSettings>, object: string): Promise<string> =>
    useSession(context, async (session) => {
      const column = await findColumn(session, object)
      return column === undefined ? everyKey : plainKeysOf(column)
    }),
  /** Returns the form of each key. A key that the column refuses is equal to no other key. */
  formsOf: (
    context: DeliverContext<MysqlSettings>,
    object: string,
    keys: readonly string[],
  ): Promise<readonly string[]> =>
    useSession(context, async (session) => {
      const column = await findColumn(session, object)
      if (column === undefined) return keys
      return await splitByFault(keys, {
        fit: (key) => fitTo(column, parseExactJson(key)),
        formsOf: (literals) => askForms(session.guarded, column, literals),
        isOfKey: isOfRow,
      })
    }),
}

/** Whether the column can treat two keys as equal that are read as different texts. */
export const keysReadApart = (column: Column | undefined): boolean =>
  column !== undefined && texts.includes(column.type) && !isExact(column)
