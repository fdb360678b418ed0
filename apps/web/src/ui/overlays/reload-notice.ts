import { storagePrefix } from '../../lib/browser/storage-prefix.ts'
import { type NoticeKind, notify } from './toast.tsx'

const key = `${storagePrefix}-notice`

/** Stores a notice for the page after the next reload. */
export const notifyAfterReload = (kind: NoticeKind, title: string): void => {
  sessionStorage.setItem(key, JSON.stringify({ kind, title }))
}

const kinds: readonly unknown[] = ['success', 'info', 'error', 'warning'] satisfies NoticeKind[]

/** Shows the notice that was stored before the reload, once. */
export const showReloadNotice = (): void => {
  const kept = sessionStorage.getItem(key)
  if (kept === null) return
  sessionStorage.removeItem(key)
  const { kind, title }: { kind?: unknown; title?: unknown } = JSON.parse(kept)
  if (kinds.includes(kind) && typeof title === 'string') notify(kind as NoticeKind, title)
}
