import { type DeliverContext, RetryableError } from '@tributary/connector-kit'
import { storedName } from '../../wire/snowflake/account.ts'
import { createSnowflakeClient } from '../../wire/snowflake/client.ts'
import { deliveryError, SnowflakeError } from '../../wire/snowflake/failures.ts'
import type { StageRow, WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { stageInParts } from '../../wire/warehouse/stage-parts.ts'
import { createDialect, stageStatement } from './dialect.ts'
import type { SnowflakeSettings } from './settings.ts'

/** Longest time in ms of a statement of a load. */
const statementMs = 30 * 60 * 1000

/** Most bytes of the rows of one statement that stages. The API documents no limit for values. */
const partBytes = 1024 * 1024

/** Another process has added a column meanwhile. The tables are read again then. */
const columnExists = '001430'

/** Returns a row as JSON, with its values as an object. */
const jsonOf = ({ row_values, ...row }: StageRow): string =>
  `${JSON.stringify(row).slice(0, -1)},"row_values":${row_values}}`

/** Divides rows into parts of about a megabyte of JSON. */
const partsOf = (rows: readonly StageRow[]): StageRow[][] => {
  const parts: StageRow[][] = []
  let part: StageRow[] = []
  let bytes = 0
  for (const row of rows) {
    const size = Buffer.byteLength(jsonOf(row))
    if (part.length > 0 && bytes + size > partBytes) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(row)
    bytes += size
  }
  return part.length === 0 ? parts : [...parts, part]
}

/** Opens a session with the schema of the settings. `origin` replaces the address of the account in tests. */
export const withSession = async <T>(
  context: DeliverContext<SnowflakeSettings>,
  work: (session: WarehouseSession) => Promise<T>,
  origin?: string,
): Promise<T> => {
  const { settings, connect } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  const client = createSnowflakeClient(settings, { connect, signal, limitMs: statementMs, origin })
  const schema = storedName(settings.schema)
  const dialect = createDialect({ database: storedName(settings.database), schema })
  const run = async (sql: string, values: readonly string[] = []): Promise<(string | null)[][]> => {
    try {
      const { rows } = await client.run({ sql, values, schema })
      return rows.map((row) => [...row])
    } catch (error) {
      if (context.signal.aborted) throw new RetryableError('Interrupted')
      if (error instanceof SnowflakeError && error.code === columnExists)
        throw new RetryableError(`${error.message} (${error.code})`, { cause: error })
      throw deliveryError(error)
    }
  }
  try {
    return await work({
      dialect,
      run: (statement) => run(statement),
      stage: (rows) =>
        stageInParts({ dialect, run: (statement) => run(statement) }, partsOf(rows), async (part) => {
          await run(stageStatement(dialect), [`[${part.map(jsonOf).join(',')}]`])
        }),
    })
  } finally {
    ending.abort()
    await client.close()
  }
}
