import type { RequestMeta } from '@tributary/contract'
import { LogUnavailable, type LogWriter } from '@tributary/storage'

/**
 * The way into the log of accepted requests for events that are sent again, beside collection. Like that it takes
 * nothing while the disk is nearly full.
 */
export const appendRequests =
  (log: Pick<LogWriter, 'append'>, diskOk: () => boolean) =>
  async (meta: RequestMeta, body: Uint8Array): Promise<void> => {
    if (!diskOk()) throw new LogUnavailable(new Error('the disk is nearly full'))
    await log.append({ key: meta.w, meta: JSON.stringify(meta), body })
  }
