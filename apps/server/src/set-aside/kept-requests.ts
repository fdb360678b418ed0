import { isJsonObject } from '@tributary/kernel'
import type { LogEntry, Relational } from '@tributary/storage'

type Db = Relational['db']

/** A request that is set aside. Times are ISO 8601. */
export type KeptRequest = {
  id: string
  workspaceId: string | undefined
  workspace: string
  bytes: number
  /** What failed, with where in the code. */
  error: string
  receiveTime: string
  /** Whether it will be processed again. */
  isAwaited: boolean
}

/** Thrown for an id that no request has that is set aside. */
export class NoSuchRequest extends Error {
  override readonly name = 'NoSuchRequest'
}

const open = (db: Db) => db.selectFrom('set_aside_requests').where('body', 'is not', null)

/** The requests that are set aside, the oldest first; at most 1000. */
export const keptRequests = async (db: Db): Promise<KeptRequest[]> => {
  const rows = await open(db)
    .leftJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['set_aside_requests.id', 'workspace_id', 'title', 'bytes', 'error', 'receive_time', 'take_back'])
    .orderBy('receive_time')
    .orderBy('set_aside_requests.id')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id ?? undefined,
    workspace: row.title ?? '',
    bytes: row.bytes,
    error: row.error,
    receiveTime: row.receive_time.toISOString(),
    isAwaited: row.take_back,
  }))
}

const byId = async (db: Db, id: string): Promise<string> => {
  const found = await open(db)
    .select('id')
    .where((row) => row(row.cast<string>('id', 'text'), '=', id))
    .executeTakeFirst()
  if (found === undefined) throw new NoSuchRequest(`No request ${id} is set aside.`)
  return found.id
}

/** The body of a request as it came. @throws NoSuchRequest */
export const keptBody = async (db: Db, id: string): Promise<Uint8Array> => {
  const { body } = await open(db)
    .select('body')
    .where('id', '=', await byId(db, id))
    .executeTakeFirstOrThrow()
  return body ?? Buffer.of()
}

/** Has a request processed again, or all of them; resolves to how many. Done by the process that runs, or the next one. @throws NoSuchRequest */
export const askBack = async (db: Db, id: string | undefined): Promise<number> => {
  const only = id === undefined ? undefined : await byId(db, id)
  const { numUpdatedRows } = await db
    .updateTable('set_aside_requests')
    .set({ take_back: true })
    .where('body', 'is not', null)
    .$if(only !== undefined, (query) => query.where('id', '=', only ?? ''))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Gives a request up: its events are never processed. @throws NoSuchRequest */
export const giveUp = async (db: Db, id: string): Promise<void> => {
  await db
    .updateTable('set_aside_requests')
    .set({ body: null, end_time: new Date() })
    .where('id', '=', await byId(db, id))
    .execute()
}

/** The meta of a request that is taken back; one that cannot be read stays as it is. */
const withId = (meta: string, id: string): string => {
  try {
    const known: unknown = JSON.parse(meta)
    // Set aside again, it still is what it was the first time.
    return isJsonObject(known) ? JSON.stringify({ b: id, ...known }) : meta
  } catch {
    return meta
  }
}

/**
 * Appends what was asked back to the log of requests, one after the other and the oldest first; resolves to how many. Killed in between, it appends one of
 * them twice: its events are known by their message ids, and those without one by the id under which it was set aside.
 */
export const takeBack = async (db: Db, append: (entry: LogEntry) => Promise<unknown>): Promise<number> => {
  for (let count = 0; ; count++) {
    const row = await open(db)
      .select(['id', 'key', 'meta', 'body'])
      .where('take_back', '=', true)
      .orderBy('receive_time')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined || row.body === null) return count
    await append({ key: row.key, meta: withId(row.meta, row.id), body: row.body })
    await db
      .updateTable('set_aside_requests')
      .set({ body: null, end_time: new Date() })
      .where('id', '=', row.id)
      .execute()
  }
}
