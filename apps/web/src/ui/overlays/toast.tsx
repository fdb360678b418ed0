import { type ComponentType, useEffect, useState } from 'react'
import { create } from 'zustand'
import { ApiError, failureText } from '../../lib/api/errors.ts'

export type NoticeKind = 'success' | 'info' | 'error' | 'warning'
/** Time in ms for which a notice is shown by default. */
export const noticeTimeout = 2500

const alphabet = 'useandom26T198340PX75pxJACKVERYMINDBUSHWOLFGQZbfghjklqvwyzrict'

/** Returns a random ID of 21 characters. */
export const noticeId = (): string => {
  let id = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(21))) id += alphabet[byte % alphabet.length]
  return id
}

/** A notice. `timeout` is the time in ms for which it is shown; false shows it until a user closes it. */
export type Notice = { id: string; kind: NoticeKind; title: string; description?: string; timeout: number | false }

/** Notices that are not shown yet, oldest first. */
export const useNotices = create<{ waiting: readonly Notice[] }>(() => ({ waiting: [] }))

/** Shows a notice. `timeout` is in ms; false shows it until a user closes it. Hovering pauses the time. */
export const notify = (
  kind: NoticeKind,
  title: string,
  { timeout = noticeTimeout, ...rest }: { description?: string; timeout?: number | false } = {},
): void => {
  const notice: Notice = { id: noticeId(), kind, title, timeout, ...rest }
  useNotices.setState(({ waiting }) => ({ waiting: [...waiting, notice] }))
}

/**
 * Shows why an action without a form was rejected. Does nothing for an error of the server (status 500 or more), which
 * already has a notice.
 */
export const notifyRefusal = (title: string, error: Error): void => {
  if (!(error instanceof ApiError && error.status >= 500)) notify('error', title, { description: failureText(error) })
}

type AreaProps = { theme: 'system' | 'light' | 'dark' }

/** Shows notices as plain text while their code cannot be loaded: a rejection must always be visible. */
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

/** The place of all notices; rendered once in the application. The code for notices is loaded with the first one. */
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
