import { open, readFile } from 'node:fs/promises'
import { isRecord } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { identifierHash } from './forget.ts'
import type { Identifier } from './identifiers.ts'
import { type LedgerTx, lockLedger } from './ledger.ts'

/** A line of the file: the state of one hash after a change. */
type Line = {
  /** The workspace ID, and the number of the change in the workspace. */
  w: string
  n: number
  /** The key of the workspace's hashes, as hexadecimal text. */
  k: string
  /** The hash, and the type of its identifier. */
  h: string
  y: string
  /**
   * The column `owner` of the identifier's stored events, as a decimal number; null if the identifier owns no events,
   * missing in older lines.
   */
  o?: string | null
  /**
   * `d`: events received up to this time get no profile. `s`: events received since this time get no profile. Both in
   * epoch ms; null if not set.
   */
  d: number | null
  s: number | null
}

const isOwner = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && /^\d{1,20}$/.test(value))

const isLine = (value: unknown): value is Line =>
  isRecord(value) &&
  [value['w'], value['k'], value['h'], value['y']].every((each) => typeof each === 'string') &&
  Number.isInteger(value['n']) &&
  isOwner(value['o']) &&
  [value['d'], value['s']].every((each) => each === null || Number.isInteger(each))

/**
 * Hashes of a workspace that are in the file but not in the database, because the database was restored from an earlier
 * state.
 */
export type MissingHashes = {
  readonly workspaceId: string
  readonly key: Uint8Array
  /** The number of changes in the file. */
  readonly changes: number
  readonly hashes: readonly Pick<Line, 'h' | 'y' | 'o' | 'd' | 's'>[]
}

export type ForgottenFile = {
  /** Appends the changes of a workspace durably. */
  keep(workspaceId: string): Promise<void>
  /** Appends the changes of all workspaces. */
  keepAll(): Promise<void>
  /** Returns the hashes that the database has lost. */
  missing(): Promise<MissingHashes[]>
}

const parse = (text: string): Line[] =>
  text.split('\n').flatMap((each) => {
    try {
      const parsed: unknown = JSON.parse(each)
      return isLine(parsed) ? [parsed] : []
    } catch {
      // The line is incomplete: the process was killed while it wrote its last line.
      return []
    }
  })

type Row = {
  hash: string
  type: string
  owner: string | null
  delete_time: Date | null
  suppress_time: Date | null
  changed: string
}

/**
 * Opens the file that keeps the hashes of deleted users beside the database, so that a restored backup does not lose
 * them. There is one line for each change; the line with the highest number counts for a hash.
 */
export const openForgottenFile = async (file: string, db: Kysely<Database>): Promise<ForgottenFile> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = parse(text)
  const changes = new Map<string, number>()
  for (const { w, n } of lines) changes.set(w, Math.max(changes.get(w) ?? 0, n))
  let writing: Promise<void> = Promise.resolve()

  const append = async (workspaceId: string): Promise<void> => {
    const known = changes.get(workspaceId) ?? 0
    const { rows } = await sql<Row & { key: Uint8Array }>`
      select h.hash, h.type, h.owner::text, h.delete_time, h.suppress_time, h.changed, l.privacy_key as key
      from privacy_hashes h join identity_ledgers l on l.workspace_id = h.workspace_id
      where h.workspace_id = ${workspaceId}::uuid and h.changed > ${known} order by h.changed`.execute(db)
    if (rows.length === 0) return
    const added = rows.map(
      ({ hash, type, owner, delete_time, suppress_time, changed, key }): Line => ({
        w: workspaceId,
        n: Number(changed),
        k: Buffer.from(key).toString('hex'),
        h: hash,
        y: type,
        o: owner,
        d: delete_time?.getTime() ?? null,
        s: suppress_time?.getTime() ?? null,
      }),
    )
    const handle = await open(file, 'a', 0o600)
    try {
      // Begins with a line feed, which ends an incomplete line of a killed process.
      await handle.appendFile(`\n${added.map((each) => JSON.stringify(each)).join('\n')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    lines.push(...added)
    changes.set(workspaceId, added.at(-1)?.n ?? known)
  }
  /** Runs the appends one after the other. */
  const keep = (workspaceId: string): Promise<void> => {
    const next = writing.then(() => append(workspaceId))
    writing = next.catch(() => {})
    return next
  }
  const readChanges = async (): Promise<Map<string, number>> => {
    const { rows } = await sql<{ workspace_id: string; erasures: string }>`
      select l.workspace_id, l.erasures from identity_ledgers l where l.erasures > 0`.execute(db)
    return new Map(rows.map(({ workspace_id, erasures }) => [workspace_id, Number(erasures)]))
  }

  return {
    keep,
    async keepAll() {
      for (const [id, erasures] of await readChanges()) if (erasures > (changes.get(id) ?? 0)) await keep(id)
    },
    async missing() {
      const there = await readChanges()
      return [...changes].flatMap(([workspaceId, known]): MissingHashes[] => {
        const has = there.get(workspaceId) ?? 0
        if (has >= known) return []
        const latest = new Map<string, Line>()
        for (const each of lines)
          if (each.w === workspaceId && each.n > has && each.n >= (latest.get(each.h)?.n ?? 0)) latest.set(each.h, each)
        const key = Buffer.from(latest.values().next().value?.k ?? '', 'hex')
        return [{ workspaceId, key, changes: known, hashes: [...latest.values()] }]
      })
    },
  }
}

/** An identifier of a profile with a requested hash, and the sequence of the operation that added it. */
export type HashedIdentifier = Identifier & { readonly hash: string; readonly sequence: number }

/**
 * Restores hashes that the database has lost, in this transaction; suppression takes effect immediately. Resolves to
 * the profile identifiers that have one of these hashes; undefined if the workspace does not exist.
 */
export const restoreHashes = async (tx: LedgerTx, missing: MissingHashes): Promise<HashedIdentifier[] | undefined> => {
  const { workspaceId, key, changes, hashes } = missing
  if ((await lockLedger(tx, workspaceId)) === undefined) return undefined
  const found = await identifiersWithHashes(tx, workspaceId, key, new Set(hashes.map(({ h }) => h)))
  const sequences = new Map(found.map(({ hash, sequence }) => [hash, sequence]))
  const rows = hashes.map((each) => ({ ...each, i: sequences.get(each.h) ?? null }))
  await sql`update identity_ledgers set privacy_key = ${key}, erasures = ${changes}
    where workspace_id = ${workspaceId}::uuid`.execute(tx)
  await sql`
    insert into privacy_hashes
      (workspace_id, hash, type, owner, identifier, delete_time, suppress_time, changed, request_id)
    select ${workspaceId}::uuid, h, y, o, i, to_timestamp(d / 1000.0), to_timestamp(s / 1000.0), ${changes},
      gen_random_uuid()
    from json_to_recordset(${JSON.stringify(rows)}::json) as row
      (h text, y text, o numeric, i bigint, d bigint, s bigint)
    on conflict (workspace_id, hash) do update set owner = coalesce(excluded.owner, privacy_hashes.owner),
      identifier = excluded.identifier, delete_time = excluded.delete_time, suppress_time = excluded.suppress_time,
      changed = excluded.changed`.execute(tx)
  return found
}

const identifiersWithHashes = async (
  tx: LedgerTx,
  workspaceId: string,
  key: Uint8Array,
  hashes: ReadonlySet<string>,
): Promise<HashedIdentifier[]> => {
  const found: HashedIdentifier[] = []
  const page = 20_000
  let after = -1
  for (;;) {
    const { rows } = await sql<Identifier & { sequence: string }>`
      select type, value, sequence from profile_identifiers
      where workspace_id = ${workspaceId}::uuid and sequence > ${after} order by sequence limit ${page}`.execute(tx)
    for (const { type, value, sequence } of rows) {
      const hash = identifierHash(key, { type, value })
      if (hashes.has(hash)) found.push({ type, value, hash, sequence: Number(sequence) })
    }
    if (rows.length < page) return found
    after = Number(rows.at(-1)?.sequence)
  }
}
