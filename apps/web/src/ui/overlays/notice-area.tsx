import { useEffect } from 'react'
import { Toaster as Base, toast } from 'sonner'
import { noticeTimeout, useNotices } from './toast.tsx'

/** Shows the waiting notices, and all later ones. */
export const NoticeArea = ({ theme }: { theme: 'system' | 'light' | 'dark' }) => {
  const waiting = useNotices((state) => state.waiting)
  useEffect(() => {
    if (waiting.length === 0) return
    // If the effect runs a second time, no notices are left.
    for (const { id, kind, title, description, timeout } of useNotices.getState().waiting)
      toast[kind](title, {
        id,
        description,
        duration: timeout === false ? Number.POSITIVE_INFINITY : timeout,
        closeButton: timeout === false,
      })
    useNotices.setState({ waiting: [] })
  }, [waiting])
  return (
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
}
