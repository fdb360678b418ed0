import { Toaster as Base, toast } from 'sonner'
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

/** Shows a notice; `timeout` in ms, false keeps it until it is closed. Hovering pauses it. */
export const notify = (
  kind: NoticeKind,
  title: string,
  options: { description?: string; timeout?: number | false } = {},
): void => {
  const { description, timeout = noticeTimeout } = options
  toast[kind](title, {
    id: noticeId(),
    description,
    duration: timeout === false ? Number.POSITIVE_INFINITY : timeout,
    closeButton: timeout === false,
  })
}

/** Tells why an action without a form was refused. A fault of the server (500 and more) is told for every call already. */
export const notifyRefusal = (title: string, error: Error): void => {
  if (!(error instanceof ApiError && error.status >= 500)) notify('error', title, { description: failureText(error) })
}

/** The toast area; stands once in the application. */
export const Toaster = ({ theme }: { theme: 'system' | 'light' | 'dark' }) => (
  <Base
    theme={theme}
    position="bottom-right"
    duration={noticeTimeout}
    toastOptions={{
      classNames: {
        toast: '!rounded-lg !border-line !bg-raised !text-ink !shadow-pop !text-sm !p-3',
        description: '!text-ink-2',
        success: '[&_[data-icon]]:!text-success-ink',
        error: '[&_[data-icon]]:!text-danger-ink',
        warning: '[&_[data-icon]]:!text-warning-ink',
        info: '[&_[data-icon]]:!text-accent-ink',
      },
    }}
  />
)
