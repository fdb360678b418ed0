import type { Db } from '@tributary/api-kit'
import { type MatchIdentifier, matchIdentifiers, notSentReasons, notSentReasonTexts } from '@tributary/contract'
import { sql } from 'kysely'

/** A count of a signal by destination, day and kind. */
export type CountRow = { destination_id: string; day: string; kind: string; count: number }

/** The counts of a signal from a day to before another. */
export const readCounts = async (db: Db, signalId: string, from: string, to: string): Promise<CountRow[]> => {
  const { rows } = await sql<{ destination_id: string; day: string; kind: string; count: string }>`
    select destination_id, day::text, kind, count from signal_counts
    where signal_id = ${signalId}::uuid and day >= ${from}::date and day < ${to}::date`.execute(db)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

const sumOf = (rows: readonly CountRow[], kind: string): number =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0)

/** The sum of one kind. */
export const countOf = sumOf

/** The number of conversions with each identifier. */
export const identifierCounts = (rows: readonly CountRow[]): ReadonlyMap<MatchIdentifier, number> =>
  new Map(matchIdentifiers.map((each) => [each, sumOf(rows, `id:${each}`)]))

/** The reasons why conversions were not sent, the most frequent first. */
export const notSentOf = (rows: readonly CountRow[]) =>
  notSentReasons
    .map((reason) => ({ reason, text: notSentReasonTexts[reason], count: sumOf(rows, `not:${reason}`) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
