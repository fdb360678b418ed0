import type { Client } from 'pg'

/**
 * A client connection that had a snapshot at a moment. `began` identifies its transaction, because the next transaction
 * has a new snapshot.
 */
type Holder = { pid: number; began: string | null }

const hasSnapshot = `s.datname = current_database() and s.backend_type in ('client backend', 'parallel worker')
  and s.backend_xmin is not null`

/** Prefix of the names of the product's connections (`openRelational`). */
const ownNames = 'tributary'

/**
 * Reads which connections, except some, have a snapshot now. The catalog caches its first result in a transaction, so
 * the cache is cleared.
 */
const readHolders = async (client: Client, except: readonly number[]): Promise<Holder[]> => {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<Holder>(
    `select s.pid, s.xact_start::text as began from pg_stat_activity s where ${hasSnapshot} and s.pid <> all($1::int[])`,
    [except],
  )
  return rows
}

/**
 * Reads which of these connections still have the snapshot, and may use it for the table (its OID).
 *
 * A connection that waits for the table takes a new snapshot when it gets the lock, if its transaction is read
 * committed and nothing else of it runs. The catalog does not show this, but it is true for the product:
 * - statements outside of a transaction are read committed;
 * - transactions that keep their snapshot only read, and begin with a statement of their own;
 * - no statement uses COPY, EXECUTE, or a cursor, and no stable function reads a table.
 *
 * Any other client that waits with an older snapshot delays the swap.
 */
const readRemaining = async (client: Client, holders: readonly Holder[], oid: string): Promise<Holder[]> => {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<Holder>(
    `select h.pid, h.began from unnest($1::int[], $2::text[]) as h (pid, began)
    join pg_stat_activity s on s.pid = h.pid and s.xact_start::text is not distinct from h.began
    where ${hasSnapshot} and not (starts_with(s.application_name, '${ownNames}') and exists (
      select from pg_locks k where k.pid = s.pid and not k.granted and k.locktype = 'relation' and k.relation = $3::oid
        and (k.mode <> 'AccessShareLock' or s.xact_start = s.query_start)))`,
    [holders.map(({ pid }) => pid), holders.map(({ began }) => began), oid],
  )
  return rows
}

/**
 * Waits until no connection, except some, can read the table (its OID) with a snapshot from before this call. Such a
 * snapshot would miss rows that were committed to the copy earlier. Fails when the client's connection ends.
 */
export const awaitOlderSnapshots = async (
  client: Client,
  { oid, except, pause }: { oid: string; except: readonly number[]; pause: () => Promise<void> },
): Promise<void> => {
  let holders = await readHolders(client, except)
  for (;;) {
    if (holders.length > 0) holders = await readRemaining(client, holders, oid)
    if (holders.length === 0) return
    await pause()
  }
}

/** True if a client connection has a transaction of at least this age (ms) with a snapshot. */
export const hasLongSnapshot = async (client: Client, ms: number): Promise<boolean> => {
  const { rows } = await client.query(
    `select from pg_stat_activity s where ${hasSnapshot} and s.pid <> pg_backend_pid()
      and s.xact_start < clock_timestamp() - $1::float * interval '1 millisecond' limit 1`,
    [ms],
  )
  return rows.length > 0
}
