import type { FieldPacket } from 'mysql2'
import { causeOf, type GuardedConnection } from './connect.ts'

/**
 * The rows of a response in the server's notation, and their columns; both are empty for a statement without rows.
 * `affectedRows` is the number of changed rows.
 */
export type Answer = { rows: (Buffer | null)[][]; fields: FieldPacket[]; affectedRows: number }

const affectedBy = (answer: unknown): number =>
  typeof answer === 'object' && answer !== null && 'affectedRows' in answer ? Number(answer.affectedRows) : 0

/**
 * Sends one statement and waits for its complete response. After `withinMs`, the connection is ended. Rejects with the
 * error of the driver, or with the guard's reason for ending the connection.
 */
export const ask = (guarded: GuardedConnection, sql: string, withinMs: number): Promise<Answer> => {
  const { connection, socket, renew } = guarded
  renew()
  return new Promise((resolve, reject) => {
    connection.query({ sql, rowsAsArray: true, timeout: withinMs }, (error, rows, fields) => {
      if (error !== null) {
        const cause = causeOf(error, socket)
        if (error.code === 'PROTOCOL_SEQUENCE_TIMEOUT') socket.destroy()
        reject(cause)
      } else if (Array.isArray(rows))
        resolve({ rows: rows as unknown as Answer['rows'], fields: fields ?? [], affectedRows: 0 })
      else resolve({ rows: [], fields: [], affectedRows: affectedBy(rows) })
    })
  })
}

/** Returns the values of a row as texts, for a row that has only texts. */
export const textsOf = (row: readonly (Buffer | null)[]): (string | null)[] =>
  row.map((value) => value?.toString('utf8') ?? null)
