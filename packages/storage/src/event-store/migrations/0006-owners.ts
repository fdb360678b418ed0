/** Values that stand for nobody, as profiles tell them: a test compares both. */
const nobody = String.raw`'^[ \\t\\r\\n]*(|null|undefined|none|nil|nan|n/a|unknown|anonymous|guest|true|false|-1|[0-]+|\\[object object\\])[ \\t\\r\\n]*$'`

const usable = (column: string): string =>
  `(not match(lower(${column}), ${nobody}) and length(${column}) <= 512
    and position(${column}, '\\0') = 0 and position(${column}, '\ufffd') = 0)`

const identifier = `multiIf(${usable('user_id')}, concat('user_id:', user_id),
  ${usable('anonymous_id')}, concat('anonymous_id:', anonymous_id), '')`

/** The first 8 bytes of the id that a profile has which begins with the identifier: a UUID of version 8. */
const first8Bytes = `bitOr(bitAnd(
  reinterpretAsUInt64(reverse(substring(SHA256(concat(workspace_id, '\\0', ${identifier})), 1, 8))),
  18446744073709490175), 32768)`

/**
 * Whose an event is. `owner` names the identifier that an event belongs to (its user id, else its anonymous id) by the first 8
 * bytes of the id of the profile that begins with it; 0 is nobody. It is made of other columns, so that it is the same for
 * every event however it was stored; parts of before are filled in the background, and until then it is made as it is read.
 *
 * `profile_owners` names the profiles that identifiers are in which did not begin one of their own or have left it: by the first
 * 8 bytes of their ids; the row of the highest version holds. The row of the owner 0 says up to which entry of the workspace's
 * ledger the others are made.
 */
export const statements = [
  `create table if not exists profile_owners (
  workspace_id LowCardinality(String),
  owner UInt64,
  profile UInt64,
  version UInt64
) engine = ReplacingMergeTree(version)
order by (workspace_id, owner)
settings non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1`,
  `alter table events add column if not exists owner UInt64 materialized if(${identifier} = '', 0, ${first8Bytes})`,
  'alter table events materialize column owner',
]
