import type { Db } from '@tributary/api-kit'
import { type MatchIdentifier, matchIdentifiers, notSentReasons, notSentReasonTexts } from '@tributary/contract'
import { sql } from 'kysely'

/** A daily count of a signal at a destination. The counted thing is in `kind`. */
export type CountRow = { destination_id: string; day: string; kind: string; count: number }

/** Reads the counts of a signal from the day `from` to before the day `to`. */
export const readCounts = async (db: Db, signalId: string, from: string, to: string): Promise<CountRow[]> => {
  const { rows } = await sql<{ destination_id: string; day: string; kind: string; count: string }>`
    select destination_id, day::text, kind, count from signal_counts
    where signal_id = ${signalId}::uuid and day >= ${from}::date and day < ${to}::date`.execute(db)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

const sumOf = (rows: readonly CountRow[], kind: string): number =>
  rows.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0)

/** Adds up the counts of one kind. */
export const countOf = sumOf

/** Returns the number of conversions with each identifier. */
export const identifierCounts = (rows: readonly CountRow[]): ReadonlyMap<MatchIdentifier, number> =>
  new Map(matchIdentifiers.map((each) => [each, sumOf(rows, `id:${each}`)]))

/** Counts the conversions that were not sent, by reason, the most frequent reason first. */
export const notSentOf = (rows: readonly CountRow[]) =>
  notSentReasons
    .map((reason) => ({ reason, text: notSentReasonTexts[reason], count: sumOf(rows, `not:${reason}`) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
