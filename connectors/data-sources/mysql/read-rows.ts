import type { DataRow } from '@tributary/connector-kit'
import type { FieldPacket } from 'mysql2'
import { causeOf, type GuardedConnection } from '../../wire/mysql/connect.ts'
import { decoderOf } from './columns.ts'

/** Maximum number of characters and of rows in a batch. */
const batchCharacters = 1024 * 1024
const maxRows = 10_000

const charactersOf = (row: DataRow): number => row.reduce((sum, value) => sum + (value?.length ?? 0) + 8, 0)

/** The rows that were read and not yet returned, and whether more rows can follow. */
type Reading = {
  rows: DataRow[]
  characters: number
  state: 'reading' | 'ended' | { error: unknown }
  wake: () => void
}

const isFull = ({ rows, characters }: Reading): boolean => characters >= batchCharacters || rows.length >= maxRows

/** Runs the statement, and pauses the connection when a batch is complete. */
const startReading = ({ connection, socket, renew }: GuardedConnection, sql: string) => {
  const reading: Reading = { rows: [], characters: 0, state: 'reading', wake: () => {} }
  let decode: ((row: readonly (Buffer | null)[]) => DataRow) | undefined
  const settle = (next: Reading['state']): void => {
    if (reading.state === 'reading') reading.state = next
    reading.wake()
  }
  const onError = (error: unknown): void => settle({ error: causeOf(error, socket) })
  renew()
  connection.on('error', onError)
  const command = connection.query({ sql, rowsAsArray: true })
  command.on('fields', (fields: FieldPacket[]) => {
    decode = decoderOf(fields)
  })
  command.on('result', (row: unknown) => {
    if (decode === undefined || !Array.isArray(row)) return
    const read = decode(row)
    reading.rows.push(read)
    reading.characters += charactersOf(read)
    if (!isFull(reading)) return
    connection.pause()
    reading.wake()
  })
  command.on('error', onError)
  command.on('end', () => settle('ended'))
  return { reading, stop: () => connection.removeListener('error', onError) }
}

/**
 * Yields the rows of a statement in batches of about a mebibyte. The connection is only read when the caller requests
 * the next batch; until then, the server waits. If the caller stops early, the connection has an unfinished response,
 * and `onBroken` is called. Throws the errors of the driver.
 */
export async function* readRows(
  guarded: GuardedConnection,
  sql: string,
  onBroken: () => void,
): AsyncGenerator<readonly DataRow[], void, void> {
  const { connection, renew } = guarded
  const { reading, stop } = startReading(guarded, sql)
  try {
    for (;;) {
      if (reading.state === 'reading' && !isFull(reading))
        await new Promise<void>((resolve) => {
          reading.wake = resolve
        })
      if (typeof reading.state === 'object') throw reading.state.error
      const { rows } = reading
      reading.rows = []
      reading.characters = 0
      if (rows.length > 0) yield rows
      else if (reading.state === 'ended') return
      if (reading.state !== 'reading') continue
      renew()
      connection.resume()
    }
  } finally {
    stop()
    if (reading.state === 'reading') onBroken()
  }
}
