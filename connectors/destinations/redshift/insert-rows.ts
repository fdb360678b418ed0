import { quoted } from '../../wire/postgresql/identifiers.ts'
import { piecesOf, textType } from '../../wire/redshift/super.ts'
import { type StageRow, stageTable } from '../../wire/warehouse/dialect.ts'

/** The columns of the stage with their types, in the order of its statements. `row_values` is an object of texts. */
const stageTypes = {
  batch: 'varchar(128)',
  place: 'integer',
  table_name: 'varchar(512)',
  mode: 'varchar(16)',
  row_key: textType,
  received_at: 'varchar(64)',
  row_values: 'super',
  set_null: textType,
  bytes: 'bigint',
} as const satisfies Readonly<Record<keyof StageRow, string>>

/** The names of the columns of the stage. */
export const stageNames = Object.keys(stageTypes).join(', ')

/** The columns of the stage, for the statement that creates it. */
export const stageColumns = Object.entries(stageTypes)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')

/** Maximum bytes and parameters of a statement: Redshift takes 16 MB and 32,767 parameters. */
const maxBytes = 8 * 1024 * 1024
const maxParameters = 30_000

type Insert = { text: string; values: (string | number)[] }

/**
 * Returns the statements that insert rows into the stage, with parameters. A JSON text longer than a text is put together
 * of bytes, of which JSON_PARSE takes more (https://docs.aws.amazon.com/redshift/latest/dg/JSON_PARSE.html).
 */
export const insertStatements = (schema: string, rows: readonly StageRow[]): Insert[] => {
  const head = `insert into ${quoted(schema)}.${quoted(stageTable)} (${stageNames}) values `
  const statements: { lines: string[]; values: (string | number)[]; bytes: number }[] = []
  for (const row of rows) {
    const pieces = piecesOf(row.row_values)
    const size = Buffer.byteLength(row.row_values) + Buffer.byteLength(row.row_key) + row.set_null.length + 300
    let last = statements.at(-1)
    const needed = Object.keys(stageTypes).length + pieces.length
    if (last === undefined || last.bytes + size > maxBytes || last.values.length + needed > maxParameters) {
      last = { lines: [], values: [], bytes: 0 }
      statements.push(last)
    }
    const { values } = last
    const next = (value: string | number): string => `$${values.push(value)}`
    const texts = pieces.map((piece) => `${next(piece)}::${textType}`)
    const bytes = texts.map((text) => `to_varbyte(${text}, 'utf8')`).join(' || ')
    const cells = [
      ...(['batch', 'place', 'table_name', 'mode', 'row_key', 'received_at'] as const).map(
        (name) => `${next(row[name])}::${stageTypes[name]}`,
      ),
      `json_parse(${texts.length === 1 ? texts[0] : bytes})`,
      ...(['set_null', 'bytes'] as const).map((name) => `${next(row[name])}::${stageTypes[name]}`),
    ]
    last.lines.push(`(${cells.join(', ')})`)
    last.bytes += size
  }
  return statements.map(({ lines, values }) => ({ text: `${head}${lines.join(', ')}`, values }))
}
