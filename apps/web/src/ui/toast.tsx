import { type ComponentType, useEffect, useState } from 'react'
import { create } from 'zustand'
import { ApiError, failureText } from '../lib/errors.ts'

export type NoticeKind = 'success' | 'info' | 'error' | 'warning'
/** Milliseconds a notice stays unless told otherwise. */
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

/** Notices that were told and are not shown yet, oldest first. */
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

/** Tells why an action without a form was refused. A fault of the server (500 and more) is told for every call already. */
export const notifyRefusal = (title: string, error: Error): void => {
  if (!(error instanceof ApiError && error.status >= 500)) notify('error', title, { description: failureText(error) })
}

type AreaProps = { theme: 'system' | 'light' | 'dark' }

/** Where notices show up; stands once in the application. What shows them is loaded with the first one. */
export const Toaster = (props: AreaProps) => {
  const told = useNotices(({ waiting }) => waiting.length)
  const [Area, setArea] = useState<ComponentType<AreaProps>>()
  useEffect(() => {
    if (told === 0 || Area !== undefined) return
    void import('./notice-area.tsx').then(
      ({ NoticeArea }) => setArea(() => NoticeArea),
      // Without it there is nothing to say it with; the next notice tries again.
      () => undefined,
    )
  }, [told, Area])
  return Area === undefined ? null : <Area {...props} />
}
