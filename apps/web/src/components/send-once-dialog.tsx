import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { failureText } from '../lib/api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useOpened } from '../ui/overlays/use-opened.ts'

/**
 * Asks for confirmation before a test is sent to a destination, sends it, and shows the response; the test can be
 * repeated.
 */
export const SendOnceDialog = <Answer, Trial>({
  title,
  description,
  send,
  trial,
  question,
  answer,
  onClosed,
}: {
  title: string
  description: string
  send: UseMutationResult<Answer, Error, Trial>
  /** The test to send. */
  trial: Trial
  /** Describes the effect of sending. */
  question: ReactNode
  answer: (answer: Answer) => ReactNode
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const isNew = send.data === undefined
  return (
    <Dialog
      {...dialog}
      size="lg"
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={close}>{isNew ? 'Cancel' : 'Close'}</Button>
          <Button variant={isNew ? 'primary' : 'secondary'} loading={send.isPending} onClick={() => send.mutate(trial)}>
            {isNew ? 'Send' : 'Send again'}
          </Button>
        </>
      }
    >
      <div aria-live="polite" className="text-sm break-words">
        {send.error !== null ? (
          <p role="alert" className="text-danger-ink">
            {failureText(send.error)}
          </p>
        ) : send.data === undefined ? (
          <div className="space-y-2 text-ink-2">{question}</div>
        ) : (
          answer(send.data)
        )}
      </div>
    </Dialog>
  )
}
