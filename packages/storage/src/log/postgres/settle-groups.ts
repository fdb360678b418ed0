import type { PoolClient } from 'pg'
import { connectionName } from '../../coordination/postgres/tenure.ts'
import type { Relational } from '../../relational/open.ts'
import { logPartitions } from '../entries.ts'
import type { JournalPlace } from '../journal-port.ts'
import { namesOfGroups } from '../partition-groups.ts'
import { openingStep } from './journal-sql.ts'

/**
 * Thrown if the number of groups differs from the stored one and cannot be changed now. Its message explains what to
 * do.
 */
export class PartitionGroupsInUse extends Error {
  override readonly name = 'PartitionGroupsInUse'
}

/** The number of groups that the partitions are divided into. */
export const readGroups = async (
  client: Pick<PoolClient, 'query'>,
  lock: '' | 'for update' | 'for share',
): Promise<number> => {
  const { rows } = await client.query<{ groups: number }>(`select groups from partition_groups ${lock}`)
  return rows[0]?.groups ?? 1
}

/** Fences earlier holders of these leases: a paused holder can do nothing more under them, and has no locks. */
export const fenceLeases = async (client: PoolClient, leases: readonly string[]): Promise<void> => {
  await client.query('update coordination_leases set epoch = epoch + 1 where name = any($1)', [leases])
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and exists (select from unnest($1::text[]) as begin where starts_with(application_name, begin))`,
    [leases.map((name) => connectionName(name, ''))],
  )
}

/** Moves the journals of a role to its new groups. The old groups have no owner and no open ranges. */
const regroup = async (client: PoolClient, role: string, from: number, to: number): Promise<void> => {
  const old = namesOfGroups(role, from)
  const made = namesOfGroups(role, to)
  await client.query(
    `insert into journals (consumer, serial)
     select name, (select coalesce(max(serial), 0) + $3 from journals where consumer = any($1)) from unnest($2::text[]) as name`,
    [old, made, openingStep],
  )
  // Arrays count from one. The second reading of a partition has a number beyond all partitions.
  const consumer = `($2::text[])[partition % ${logPartitions} % $3 + 1]`
  for (const [table, columns] of [
    ['journal_positions', 'partition, next, incarnation'],
    ['journal_notes', 'partition, note'],
    ['journal_ids', 'hash, partition, record, index, seen_time'],
  ] as const)
    await client.query(
      `insert into ${table} (consumer, ${columns}) select ${consumer}, ${columns} from ${table} where consumer = any($1)`,
      [old, made, to],
    )
  await client.query('delete from journals where consumer = any($1)', [old])
}

/**
 * Sets the number of groups of partitions that processes share, and moves positions, notes and IDs to the new owners'
 * journals. No record may be processed, and no range open, meanwhile. The next owner of a group reads the IDs of 24
 * hours from the event store again.
 *
 * @throws PartitionGroupsInUse
 */
export const settlePartitionGroups = async (
  { pool }: Pick<Relational, 'pool'>,
  {
    roles,
    groups,
    isInFile = () => false,
  }: {
    roles: readonly string[]
    groups: number
    /** Whether a role may have an older journal in a file, from before journals were stored here. */
    isInFile?: (role: string) => boolean
  },
): Promise<void> => {
  if ((await readGroups(pool, '')) === groups) return
  const client = await pool.connect()
  try {
    await client.query('begin')
    const before = await readGroups(client, 'for update')
    if (before !== groups) {
      const names = roles.flatMap((role) => namesOfGroups(role, before))
      // No process can take a group until this transaction ends.
      const leases = await client.query<{ held: boolean }>(
        'select expire_time > clock_timestamp() as held from coordination_leases where name = any($1) for update',
        [names],
      )
      const change = `TRIBUTARY_PARTITION_GROUPS: it was ${before} and is to be ${groups}.`
      if (leases.rows.some(({ held }) => held))
        throw new PartitionGroupsInUse(`${change} Stop all processes that run the pipeline or delivery first`)
      const open = await client.query('select 1 from journal_ranges where consumer = any($1) limit 1', [names])
      if (open.rows.length > 0)
        throw new PartitionGroupsInUse(
          `${change} What was being stored is not ended: start once more with ${before}, and stop with SIGTERM`,
        )
      const known = await client.query('select 1 from journals where consumer = any($1) limit 1', [names])
      if (known.rows.length === 0 && roles.some(isInFile))
        throw new PartitionGroupsInUse(
          `${change} Start once with ${before}: what is known of the log is in the data folder, and is moved to PostgreSQL then`,
        )
      await fenceLeases(client, names)
      for (const role of roles) await regroup(client, role, before, groups)
      await client.query('update partition_groups set groups = $1', [groups])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

/**
 * Rejects if the partitions have another number of groups. Call it with the lease of a group, before doing anything
 * under it.
 *
 * @throws PartitionGroupsInUse
 */
export const requirePartitionGroups = async ({ pool }: Pick<Relational, 'pool'>, groups: number): Promise<void> => {
  // Waits for a process that changes the number: it cannot see a lease that was taken for the first time meanwhile.
  const now = await readGroups(pool, 'for share')
  if (now !== groups)
    throw new PartitionGroupsInUse(
      `TRIBUTARY_PARTITION_GROUPS: it is ${groups} here, and ${now} in the processes beside this one. Set the same everywhere`,
    )
}

/** The positions of the groups of a role, by partition, from their journals, whichever process owns them. */
export const journalPlaces = async (
  { pool }: Pick<Relational, 'pool'>,
  role: string,
  groups: number,
): Promise<(JournalPlace & { partition: number })[]> => {
  const { rows } = await pool.query<{ partition: number; next: string; incarnation: string | null }>({
    name: 'journal-places',
    text: 'select partition, next::text, incarnation from journal_positions where consumer = any($1) and partition < $2',
    values: [namesOfGroups(role, groups), logPartitions],
  })
  return rows.map(({ partition, next, incarnation }) => ({
    partition,
    offset: Number(next),
    incarnation: incarnation ?? undefined,
  }))
}
