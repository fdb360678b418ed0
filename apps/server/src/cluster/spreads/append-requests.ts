import { setImmediate as turn } from 'node:timers/promises'
import { createPauses, type WorkspaceSpreads } from '@tributary/collect'
import { type RequestMeta, requestMeta } from '@tributary/contract'
import { cutRequest, type LogEntry, LogOverloaded, LogUnavailable, type LogWriter } from '@tributary/storage'

/** Appends requests that do not come from collection to the log of accepted requests. */
export type RequestAppender = {
  /**
   * Appends a request; resolves when all of it is in the log. If it rejects, parts may be in the log, and the request
   * must be appended again.
   */
  append(meta: RequestMeta, body: Uint8Array): Promise<void>
  /** Appends an entry that was in the log before, even if its meta is unreadable. */
  appendEntry(entry: LogEntry): Promise<void>
  /** See `Pauses`. */
  paused(): string[]
}

const metaOf = (entry: LogEntry): RequestMeta | undefined => {
  try {
    return requestMeta.parse(JSON.parse(entry.meta))
  } catch {
    return undefined
  }
}

/**
 * Appends replayed events, events of syncs, and requests that were set aside, to the partitions that collection uses.
 * Like collection it accepts nothing while the disk is nearly full, or the workspace's spread is being changed.
 */
export const createRequestAppender = (
  log: Pick<LogWriter, 'append' | 'isUnsure'>,
  spreads: WorkspaceSpreads,
  diskOk: () => boolean,
): RequestAppender => {
  const pauses = createPauses(spreads, () => log.isUnsure?.() === true)

  const put = async (entry: LogEntry): Promise<void> => {
    const finished = pauses.begin()
    try {
      await log.append(entry)
      finished()
    } catch (error) {
      finished(!(error instanceof LogOverloaded))
      throw error
    }
  }

  const append = async (entry: LogEntry, readMeta: () => RequestMeta | undefined): Promise<void> => {
    if (!diskOk()) throw new LogUnavailable(new Error('the disk is nearly full'))
    if (pauses.isPaused(entry.key)) throw new LogUnavailable(new Error('the workspace is being moved'))
    const spread = spreads.of(entry.key)
    if (spread === undefined) return await put(entry)
    const meta = readMeta()
    // Without readable meta, the users of the events in the request are unknown.
    if (meta === undefined) return await put(entry)
    const cutting = cutRequest(meta, entry.body, spread.partitions)
    let cut = cutting.next()
    while (cut.done !== true) {
      await turn()
      cut = cutting.next()
    }
    if (spreads.of(entry.key) !== spread) return await append(entry, readMeta)
    const parts = cut.value
    await Promise.all(
      parts.map((part) =>
        put({ key: entry.key, partition: part.partition, meta: JSON.stringify(part.meta), body: part.body }),
      ),
    )
  }

  return {
    append: (meta, body) => append({ key: meta.w, meta: JSON.stringify(meta), body }, () => meta),
    appendEntry: (entry) => append(entry, () => metaOf(entry)),
    paused: pauses.paused,
  }
}
