import type { RequestMeta } from '@tributary/contract'

/**
 * Appends a request to the log of accepted requests; resolves when it is on disk. Rejects with LogUnavailable or
 * LogOverloaded if that is not possible now.
 */
export type AppendRequest = (meta: RequestMeta, body: Uint8Array) => Promise<void>
