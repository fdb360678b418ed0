import type { PoolClient } from 'pg'
import type { Relational } from '../../relational/open.ts'
import type { PlaceToReset } from '../journal-port.ts'
import { groupOfPartition, nameOfGroup, namesOfGroups } from '../partition-groups.ts'
import { openingStep } from './journal-sql.ts'
import { fenceLeases, readGroups } from './settle-groups.ts'

/** Thrown if processes own some of the groups of a role. Its message explains what to do. */
export class ConsumerRuns extends Error {
  override readonly name = 'ConsumerRuns'
}

/** The number of groups that the partitions are divided into, from the database. */
export const partitionGroups = ({ pool }: Pick<Relational, 'pool'>): Promise<number> => readGroups(pool, '')

const refuseWhileHeld = async (client: Pick<PoolClient, 'query'>, role: string, names: readonly string[]) => {
  // No process can take a group until this transaction ends.
  const { rows } = await client.query<{ name: string }>(
    `select name from (select name, expire_time from coordination_leases where name = any($1) for update) as l
     where expire_time > clock_timestamp() order by name`,
    [names],
  )
  if (rows.length === 0) return
  throw new ConsumerRuns(
    `A process has ${rows.map(({ name }) => name).join(', ')}. Stop all processes with the role ${role} first; one that was killed has it for up to 6 seconds more.`,
  )
}

/** Rejects with ConsumerRuns while a process owns a group of a role. */
export const requireStopped = async ({ pool }: Pick<Relational, 'pool'>, role: string): Promise<void> => {
  const client = await pool.connect()
  try {
    await refuseWhileHeld(client, role, namesOfGroups(role, await readGroups(client, '')))
  } finally {
    client.release()
  }
}

/**
 * Sets the positions of a role in the journals of its groups, in one transaction, while no process owns a group. A
 * paused earlier owner can write nothing more. An owner that begins meanwhile sees all of the changes, or none. Ranges
 * that begin after a position are removed.
 *
 * @throws ConsumerRuns
 */
export const resetJournals = async (
  { pool }: Pick<Relational, 'pool'>,
  role: string,
  places: readonly PlaceToReset[],
): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const groups = await readGroups(client, 'for share')
    const names = namesOfGroups(role, groups)
    await refuseWhileHeld(client, role, names)
    await fenceLeases(client, names)
    // A process that opens a journal waits here, and a pending write comes too late.
    await client.query('update journals set serial = serial + $2 where consumer = any($1)', [names, openingStep])
    const consumers = places.map(({ partition }) =>
      nameOfGroup(role, { group: groupOfPartition(partition, groups), groups }),
    )
    const partitions = places.map(({ partition }) => partition)
    await client.query(
      `update journal_positions as p set next = r.next, incarnation = r.incarnation
       from unnest($1::text[], $2::integer[], $3::bigint[], $4::text[]) as r (consumer, partition, next, incarnation)
       where p.consumer = r.consumer and p.partition = r.partition`,
      [consumers, partitions, places.map(({ offset }) => offset), places.map(({ incarnation }) => incarnation ?? null)],
    )
    const notes = await client.query<{ partition: number; note: string }>(
      'select partition, note from journal_notes where consumer = any($1)',
      [names],
    )
    const known = new Map(notes.rows.map(({ partition, note }) => [partition, note]))
    await client.query(
      `insert into journal_notes (consumer, partition, note) select * from unnest($1::text[], $2::integer[], $3::text[])
       on conflict (consumer, partition) do update set note = excluded.note`,
      [consumers, partitions, places.map(({ partition, note }) => note(known.get(partition) ?? ''))],
    )
    await client.query(
      `delete from journal_ranges as g using unnest($1::text[], $2::integer[], $3::bigint[]) as r (consumer, partition, next)
       where g.consumer = r.consumer and g.partition = r.partition and g.behind > r.next`,
      [consumers, partitions, places.map(({ offset }) => offset)],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
