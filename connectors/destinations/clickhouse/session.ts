import { createHash, randomBytes } from 'node:crypto'
import { ConfigurationError, type DeliverContext, DeliveryError, RetryableError } from '@tributary/connector-kit'
import { deliveryError } from '../../wire/clickhouse/failures.ts'
import { quoted } from '../../wire/clickhouse/identifiers.ts'
import { readRows, rowFormat } from '../../wire/clickhouse/read-rows.ts'
import { sendQuery } from '../../wire/clickhouse/send-query.ts'
import { type StageRow, stageTable, type WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { createDialect } from './dialect.ts'
import type { ClickhouseSettings } from './settings.ts'

/** Longest time in ms of a statement of a load. */
const statementMs = 30 * 60 * 1000
/** Longest time in ms until a statement has staged a batch. */
const stageMs = 60_000

/** Longest answer to a statement, in characters. */
const maxCharacters = 64 * 1024 * 1024

type Values = (string | null)[]

const settings = (limitMs: number): Record<string, string> => ({
  max_execution_time: String(limitMs / 1000),
  timeout_overflow_mode: 'throw',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_escape_forward_slashes: '0',
  // A statement has ended when it is answered, also on a cluster.
  mutations_sync: '2',
  lightweight_deletes_sync: '2',
  async_insert: '0',
  // A merge of users names each of up to 1,000 columns several times.
  max_query_size: String(64 * 1024 * 1024),
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
  // Each batch of the stage is a partition.
  max_partitions_per_insert_block: '0',
})

/** Returns the columns of a query's result, of which a statement that changes something has none. */
const isQuery = (statement: string): boolean => /^\s*(?:SELECT|WITH|SHOW|DESCRIBE)\b/i.test(statement)

/**
 * Returns the ID of a statement that inserts rows of the stage or deletes rows of a table. It is the same for all inserts into a table, and a server
 * refuses a second query with the ID of one that runs (clickhouse.com/docs/operations/settings/settings#replace_running_query).
 * The statement of a killed process goes on at the server, and a load with later batches would insert the same rows.
 */
const insertId = (statement: string): Record<string, string> => {
  const target = /^(?:INSERT INTO|DELETE FROM) (`[^`]+`\.`[^`]+`)/.exec(statement)?.[1]
  if (target === undefined) return {}
  return { query_id: `tributary-${createHash('sha256').update(target).digest('hex').slice(0, 32)}` }
}

/** Opens a session with the database of the settings. Each statement has a connection of its own. */
export const withSession = async <T>(
  context: DeliverContext<ClickhouseSettings>,
  work: (session: WarehouseSession) => Promise<T>,
  rowsTable?: string,
): Promise<T> => {
  const dialect = createDialect(context.settings.database, rowsTable)
  const send = async (statement: string, limitMs: number, more: Record<string, string> = {}): Promise<Values[]> => {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs + 10_000)])
    const end = randomBytes(16).toString('hex')
    try {
      const given = { ...settings(limitMs), ...(isQuery(statement) ? rowFormat(end) : {}), ...more }
      const answered = await sendQuery(context.settings, { connect: context.connect, signal }, statement, given)
      try {
        if (!isQuery(statement)) {
          for await (const _ of answered.response);
          return []
        }
        const rows: Values[] = []
        let characters = 0
        for await (const batch of readRows(answered, { width: undefined, end, isLong: true }))
          for (const row of batch) {
            characters += row.reduce((sum, value) => sum + (value?.length ?? 0) + 8, 64)
            if (characters > maxCharacters)
              throw new ConfigurationError('The server sent more rows than were asked for')
            rows.push([...row])
          }
        return rows
      } finally {
        answered.stream.destroy()
      }
    } catch (error) {
      if (context.signal.aborted) throw new RetryableError('Interrupted')
      throw error instanceof DeliveryError ? error : deliveryError(error)
    }
  }
  return await work({
    dialect,
    run: (statement) => send(statement, statementMs, insertId(statement)),
    stage: async (rows) => {
      const lines = rows.map((row: StageRow) => JSON.stringify(row)).join('\n')
      await send(
        `INSERT INTO ${quoted(context.settings.database)}.${quoted(stageTable)} FORMAT JSONEachRow\n${lines}\n`,
        stageMs,
      )
    },
  })
}
