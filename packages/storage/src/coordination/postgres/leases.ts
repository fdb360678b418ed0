import { createHash } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { Relational } from '../../relational/open.ts'
import type { Coordination } from '../port.ts'

type Pool = Pick<Relational['pool'], 'query'>

/** Maximum number of expired counters that one sweep deletes. */
const sweptAtOnce = 10_000

// The key of a counter can be a text that a person entered, such as an address. A hash has a fixed length, and does not
// reveal the key.
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Adds to a counter. An expired counter starts again at 0; only the clock of the database decides that. */
const incrementText = `
insert into coordination_counters as c (key_hash, value, expire_time)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (key_hash) do update set
  value = case when c.expire_time > clock_timestamp() then c.value else 0 end + excluded.value,
  expire_time = case when c.expire_time > clock_timestamp() then c.expire_time else excluded.expire_time end
returning value::text as value`

/** Takes or renews a lease. The row stays after the end of the lease, so that its epoch only rises. */
const acquireText = `
insert into coordination_leases as l (name, holder, epoch, expire_time)
values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (name) do update set
  holder = excluded.holder,
  epoch = l.epoch + case when l.expire_time > clock_timestamp() then 0 else 1 end,
  expire_time = clock_timestamp() + $3 * interval '1 millisecond'
where l.holder = excluded.holder or l.expire_time <= clock_timestamp()
returning epoch::text as epoch`

/**
 * Creates counters and leases in the relational store. Calls reject while the store is unavailable. A rejected call may
 * or may not have had an effect.
 */
export const createSharedLedger = (
  pool: Pool,
): Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease'> & {
  /** Deletes expired counters. */
  sweep(): Promise<void>
} => ({
  async increment(key, by, ttlMs) {
    const { rows } = await pool.query<{ value: string }>({
      name: 'coordination-increment',
      text: incrementText,
      values: [hashOf(key), by, ttlMs],
    })
    return Number(rows[0]?.value)
  },
  async acquireLease(name, holder, ttlMs) {
    const { rows } = await pool.query<{ epoch: string }>({
      name: 'coordination-acquire',
      text: acquireText,
      values: [name, holder, ttlMs],
    })
    return rows[0] === undefined ? undefined : Number(rows[0].epoch)
  },
  async releaseLease(name, holder) {
    await pool.query('update coordination_leases set expire_time = clock_timestamp() where name = $1 and holder = $2', [
      name,
      holder,
    ])
  },
  async sweep() {
    await pool.query(
      `delete from coordination_counters where key_hash in (
        select key_hash from coordination_counters where expire_time < clock_timestamp()
        order by expire_time limit ${sweptAtOnce} for update skip locked)`,
    )
  },
})

/** Thrown if another tenure of the lease has begun: work under the earlier epoch must not be done. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Binds a transaction to the tenure with this epoch. Rejects with LeaseLost if another tenure has begun. Otherwise none
 * begins until the transaction has ended. So the writes of a holder that was paused beyond its lease take effect before
 * the next tenure begins, or never.
 */
export const requireLease = async (tx: QueryExecutorProvider, name: string, epoch: number): Promise<void> => {
  const { rows } = await sql<{ epoch: string }>`
    select epoch::text as epoch from coordination_leases where name = ${name} for share`.execute(tx)
  if (Number(rows[0]?.epoch ?? 0) !== epoch)
    throw new LeaseLost(`The lease ${name} is of the epoch ${rows[0]?.epoch ?? 0}, not ${epoch}`)
}
