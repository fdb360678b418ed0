import { statfs } from 'node:fs/promises'

/**
 * Watches the free space of a folder's disk. `ok()` becomes false when less than `reserveBytes` is free. It becomes
 * true again only when one and a half times that is free, so that it does not change back and forth. Checks every
 * `intervalMs`; `check` checks immediately.
 */
export const createDiskWatch = (options: {
  folder: string
  reserveBytes: number
  intervalMs?: number
  freeBytes?: () => Promise<number>
  onChange?: (ok: boolean, freeBytes: number) => void
}): { ok(): boolean; freeBytes(): number; check(): Promise<void>; stop(): void } => {
  const measure =
    options.freeBytes ??
    (async () => {
      const found = await statfs(options.folder)
      return found.bavail * found.bsize
    })
  let ok = true
  let free = Number.POSITIVE_INFINITY
  const check = async (): Promise<void> => {
    free = await measure()
    const next = ok ? free >= options.reserveBytes : free >= options.reserveBytes * 1.5
    if (next !== ok) {
      ok = next
      options.onChange?.(ok, free)
    }
  }
  const timer = setInterval(() => void check().catch(() => {}), options.intervalMs ?? 2000)
  timer.unref()
  return { ok: () => ok, freeBytes: () => free, check, stop: () => clearInterval(timer) }
}
