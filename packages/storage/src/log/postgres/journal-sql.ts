/** The increase of the serial with an opening, so that pending writes of an earlier opening come too late. */
export const openingStep = 2 ** 20

const lease = `lease as (select from coordination_leases where name = $1 and epoch = $2 for share)`

/**
 * Opens a journal, if the lease still has this epoch: increases its serial, and returns it with the name and serial of
 * the file of IDs. Parameters: name and epoch of the lease, the consumer, the increase of the serial.
 */
export const openText = `
with ${lease}
insert into journals (consumer, serial) select $3, $4 from lease
on conflict (consumer) do update set serial = journals.serial + $4
returning serial::text, ids_file, ids_serial::text`

/**
 * Performs one write in one statement. So a paused process holds no lock, and a write of an earlier tenure, or a late
 * one, changes nothing. Parameters:
 * - lease, consumer, serial;
 * - the name of the file of IDs, whether it has the IDs of this write;
 * - positions; notes; ranges that end or are dropped; ranges that begin; IDs.
 */
export const writeText = `
with ${lease}, journal as (
  update journals set serial = $4, ids_file = coalesce($5, ids_file),
    ids_serial = case when $6::boolean then $4 else ids_serial end
  from lease where consumer = $3 and serial < $4 returning consumer
), moved as (
  insert into journal_positions (consumer, partition, next, incarnation)
  select consumer, p.* from journal, unnest($7::integer[], $8::bigint[], $9::text[]) as p
  on conflict (consumer, partition) do update set next = excluded.next, incarnation = excluded.incarnation
), noted as (
  insert into journal_notes (consumer, partition, note)
  select consumer, n.* from journal, unnest($10::integer[], $11::text[]) as n
  on conflict (consumer, partition) do update set note = excluded.note
), ended as (
  delete from journal_ranges as r
  using journal as j, unnest($12::integer[], $13::bigint[], $14::boolean[]) as e (partition, place, is_dropped)
  where r.consumer = j.consumer and r.partition = e.partition
    and case when e.is_dropped then r.behind > e.place else r.behind <= e.place end
), begun as (
  insert into journal_ranges (consumer, serial, partition, first, behind, token, incarnation, place)
  select consumer, $4, b.* from journal,
    unnest($15::integer[], $16::bigint[], $17::bigint[], $18::text[], $19::text[]) with ordinality as b
  on conflict (consumer, token, partition) do nothing
), remembered as (
  insert into journal_ids (consumer, hash, partition, record, index, seen_time)
  select consumer, i.*, to_timestamp($24::bigint / 1000.0) from journal,
    unnest($20::bytea[], $21::integer[], $22::bigint[], $23::integer[]) as i
  on conflict (consumer, hash) do nothing
)
select (select count(*) from lease)::integer as held, (select count(*) from journal)::integer as taken`
