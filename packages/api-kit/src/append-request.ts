import type { RequestMeta } from '@tributary/contract'

/**
 * Puts a request into the log of accepted requests; resolves when it is on disk. Rejects with LogUnavailable or
 * LogOverloaded when that is not possible now.
 */
export type AppendRequest = (meta: RequestMeta, body: Uint8Array) => Promise<void>
