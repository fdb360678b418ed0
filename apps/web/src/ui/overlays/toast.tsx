import { type ComponentType, useEffect, useState } from 'react'
import { create } from 'zustand'
import { ApiError, failureText } from '../../lib/api/errors.ts'

export type NoticeKind = 'success' | 'info' | 'error' | 'warning'
/** Milliseconds a notice stays unless given otherwise. */
export const noticeTimeout = 2500

const alphabet = 'useandom26T198340PX75pxJACKVERYMINDBUSHWOLFGQZbfghjklqvwyzrict'

/** A random id of 21 characters. */
export const noticeId = (): string => {
  let id = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(21))) id += alphabet[byte % alphabet.length]
  return id
}

/** A notice: `timeout` in ms is how long it stays, false until it is closed. */
export type Notice = { id: string; kind: NoticeKind; title: string; description?: string; timeout: number | false }

/** Notices that are not shown yet, oldest first. */
export const useNotices = create<{ waiting: readonly Notice[] }>(() => ({ waiting: [] }))

/** Shows a notice; `timeout` in ms, false keeps it until it is closed. Hovering pauses it. */
export const notify = (
  kind: NoticeKind,
  title: string,
  { timeout = noticeTimeout, ...rest }: { description?: string; timeout?: number | false } = {},
): void => {
  const notice: Notice = { id: noticeId(), kind, title, timeout, ...rest }
  useNotices.setState(({ waiting }) => ({ waiting: [...waiting, notice] }))
}

/** Shows why an action without a form was refused. A fault of the server (500 and more) has its notice already. */
export const notifyRefusal = (title: string, error: Error): void => {
  if (!(error instanceof ApiError && error.status >= 500)) notify('error', title, { description: failureText(error) })
}

type AreaProps = { theme: 'system' | 'light' | 'dark' }

/** Notices as plain text, while what shows them well cannot be loaded: a refusal must not go without a word. */
const PlainNotices = () => {
  const waiting = useNotices((state) => state.waiting)
  return (
    <output className="fixed right-4 bottom-4 z-50 block max-w-sm space-y-2 text-sm">
      {waiting.map(({ id, title, description }) => (
        <span key={id} className="block rounded-lg border border-line bg-raised p-3 shadow-pop">
          <span className="block font-medium">{title}</span>
          {description !== undefined && <span className="block text-ink-2">{description}</span>}
        </span>
      ))}
      {waiting.length > 0 && (
        <button type="button" className="underline" onClick={() => useNotices.setState({ waiting: [] })}>
          Close
        </button>
      )}
    </output>
  )
}

const Nothing = () => null

/** The place of notices; it stands once in the application. Their code is loaded with the first one. */
export const Toaster = (props: AreaProps) => {
  const count = useNotices(({ waiting }) => waiting.length)
  const [Area, setArea] = useState<ComponentType<AreaProps>>(() => Nothing)
  const pending = Area === Nothing || Area === PlainNotices
  useEffect(() => {
    if (count === 0 || !pending) return
    void import('./notice-area.tsx').then(
      ({ NoticeArea }) => setArea(() => NoticeArea),
      () => setArea(() => PlainNotices),
    )
  }, [count, pending])
  return <Area {...props} />
}
