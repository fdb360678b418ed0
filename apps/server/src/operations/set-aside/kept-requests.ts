import { isJsonObject } from '@tributary/kernel'
import { endSetAside, type LogEntry, markForRetry, type Relational } from '@tributary/storage'

type Db = Relational['db']

/** A request that is set aside. Times are ISO 8601. */
export type KeptRequest = {
  id: string
  workspaceId: string | undefined
  workspace: string
  bytes: number
  /** The error with its location in the code. */
  error: string
  receiveTime: string
  /** Whether the request will be processed again. */
  isAwaited: boolean
}

/** Thrown if no request with this ID is set aside. */
export class NoSuchRequest extends Error {
  override readonly name = 'NoSuchRequest'
}

const open = (db: Db) => db.selectFrom('set_aside_requests').where('body', 'is not', null)

/** Lists the requests that are set aside, oldest first; at most 1000. */
export const listSetAsideRequests = async (db: Db): Promise<KeptRequest[]> => {
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

/** Reads the body of a request as it was received. @throws NoSuchRequest */
export const readSetAsideBody = async (db: Db, id: string): Promise<Uint8Array> => {
  const { body } = await open(db)
    .select('body')
    .where('id', '=', await byId(db, id))
    .executeTakeFirstOrThrow()
  return body ?? Buffer.of()
}

/**
 * Marks one request, or all, for processing again; resolves to their number. The running process, or the next one to
 * start, processes them. @throws NoSuchRequest
 */
export const askBack = async (db: Db, id: string | undefined): Promise<number> => {
  const only = id === undefined ? undefined : await byId(db, id)
  return await markForRetry(db, only)
}

/** Discards a request: its events are never processed. @throws NoSuchRequest */
export const giveUp = async (db: Db, id: string): Promise<void> => {
  await endSetAside(db, await byId(db, id), new Date())
}

/** Returns the meta of a request that is processed again, with its ID; unreadable meta stays unchanged. */
const withId = (meta: string, id: string): string => {
  try {
    const known: unknown = JSON.parse(meta)
    // If the request is set aside again, it keeps its first ID.
    return isJsonObject(known) ? JSON.stringify({ b: id, ...known }) : meta
  } catch {
    return meta
  }
}

/**
 * Appends the requests marked for processing again to the log of requests, oldest first; resolves to their number.
 * After a kill, a request may be appended twice. Its repeated events are recognized by their message IDs or, without
 * one, by the ID under which the request was set aside.
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
    await endSetAside(db, row.id, new Date())
  }
}
